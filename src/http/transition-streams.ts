import type { Services } from '../actors/services.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { encodeId } from '../ids.ts'
import { findChangesBegin, findChangesEnd } from '../queries/changes.ts'
import { findOperatorSessions } from '../queries/ops/tickets.ts'
import { isWanted, readTransitions, type StreamedRow, type TransitionFilter } from '../queries/ops/transitions.ts'
import { streamedTransitionRecord } from '../records/ops-transition.ts'
import { resources } from '../resources.ts'
import { causeWithoutNames, reasonOf } from './causes.ts'
import { type FeedStreams, openFeedStreams, positionId } from './feed-streams.ts'

/** The event streams of operators: the transitions of all actors. */
export type TransitionStreams = FeedStreams<TransitionReader>

export type TransitionReader = {
  readonly sessionId: string
  /** When it was opened. Without it, only a server that is reached from its own machine has opened it. */
  readonly hasSecondFactor: boolean
  readonly filter: TransitionFilter
}

export type TransitionStreamsOptions = {
  readonly everyMs?: number
  readonly beatMs?: number
  readonly longestMs?: number
  readonly most?: number
  readonly mostOfSession?: number
  readonly mostUnread?: number
  readonly page?: number
}

/**
 * All streams read the same rows, whatever their filters are: so each moves on with the feed, and none reads again what it
 * has skipped. `page` and `everyMs` limit what they cost at the full rate of the core: above 2,000 transitions a second the
 * streams fall behind, and catch up later.
 */
export const openTransitionStreams = (
  { sql, log, chains }: Pick<Services, 'sql' | 'log'> & { readonly chains: Chains },
  {
    everyMs = 250,
    beatMs = 15_000,
    longestMs = 3_600_000,
    most = 100,
    mostOfSession = 10,
    mostUnread = 1_048_576,
    page = 500,
  }: TransitionStreamsOptions = {},
): TransitionStreams =>
  openFeedStreams<TransitionReader, StreamedRow>({
    ...{ everyMs, beatMs, longestMs, most, mostUnread },
    sourceOf: () => '',
    read: places =>
      Promise.all(places.map(async ({ after }) => ({ rows: await readTransitions(sql, after, page), hasMore: false }))),
    messagesOf: rows => {
      const texts: string[] = []
      const textOf = (row: StreamedRow, n: number): string => {
        texts[n] ??= eventOf(chains, row)
        return texts[n]
      }
      return ({ filter }) => {
        const wanted = rows.flatMap((row, n) => (isWanted(filter, row) ? [textOf(row, n)] : []))
        const last = rows.at(-1)
        // Without data: a client that resumes does not begin at its last transition, which may be far behind.
        return last && !isWanted(filter, last) ? `${wanted.join('')}id: ${positionId(last)}\n\n` : wanted.join('')
      }
    },
    findEnd: () => findChangesEnd(sql),
    findBegin: () => findChangesBegin(sql),
    areAllowed: async readers => {
      const active = await findOperatorSessions(sql, [...new Set(readers.map(({ sessionId }) => sessionId))])
      return readers.map(({ sessionId, hasSecondFactor }) => {
        const session = active.get(sessionId)
        return session !== undefined && (session.hasSecondFactor || !hasSecondFactor)
      })
    },
    groupsOf: ({ sessionId }) => [[`session ${sessionId}`, mostOfSession]],
    failed: err => log.warn({ err }, 'transition stream update failed, retrying'),
  })

const eventOf = (chains: Chains, row: StreamedRow): string => {
  const { actor, ...transition } = row
  const record = streamedTransitionRecord.render(
    { ...transition, actorId: encodeId(resources[row.kind].prefix, actor) },
    { cause: causeWithoutNames({ chains }, row.cause), reason: reasonOf(row.cause) },
  )
  return `id: ${positionId(row)}\nevent: transition\ndata: ${JSON.stringify(record)}\n\n`
}

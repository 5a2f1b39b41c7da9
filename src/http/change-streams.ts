import { encodeId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { ChangePosition, ChangeRow, ChangesAfter, ReaderOf } from '../queries/changes.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import { type MachineName, machineObjects, resources } from '../resources.ts'
import { type FeedPage, openFeedStreams, positionId } from './feed-streams.ts'

export type ChangeStreams = {
  /** Opens a stream of a merchant's changes in one mode. `lastId` is the last event that the client has received. */
  open(owner: ListOwner, to: ChangeListener): Promise<ReadableStream>
  /** Ends all streams and refuses new ones. */
  stop(): void
}

export type ChangeListener = Omit<ReaderOf, 'merchantId'> & { readonly lastId: string | null }

export type ChangeStreamsOptions = {
  readonly read: (places: readonly ChangesAfter[], limit: number) => Promise<readonly (readonly ChangeRow[])[]>
  readonly findEnd: () => Promise<ChangePosition>
  readonly findBegin: () => Promise<ChangePosition | undefined>
  readonly areStillMembers: (readers: readonly ReaderOf[]) => Promise<readonly boolean[]>
  readonly log: Pick<Log, 'warn'>
  readonly everyMs?: number
  readonly beatMs?: number
  readonly longestMs?: number
  readonly limits?: Partial<Limits>
}

type Limits = {
  readonly most: number
  readonly mostOfSession: number
  readonly mostOfMerchant: number
  readonly mostUnread: number
  /** Rows of a merchant that are read at a time: more than a commit writes. */
  readonly page: number
}

/**
 * Sends members the changes of their merchants. A stream ends when its session has ended, or its account has another role in
 * the merchant, or none.
 */
export const openChangeStreams = ({
  read,
  findEnd,
  findBegin,
  areStillMembers,
  log,
  everyMs = 300,
  beatMs = 15_000,
  longestMs = 3_600_000,
  limits = {},
}: ChangeStreamsOptions): ChangeStreams => {
  const { most = 5_000, mostOfSession = 10, mostOfMerchant = 200, mostUnread = 1_048_576, page = 2_000 } = limits
  const streams = openFeedStreams<ReaderOf & { readonly owner: ListOwner }, ChangeRow>({
    ...{ findEnd, findBegin, everyMs, beatMs, longestMs, most, mostUnread },
    sourceOf: ({ owner: { merchantId, livemode } }) => `${merchantId} ${livemode}`,
    read: async places => {
      const found = await read(
        places.map(({ client: { owner }, after }) => ({ owner, after })),
        page,
      )
      return found.map(rows => wholeCommits(rows, page))
    },
    messagesOf: rows => {
      const text = messagesOf(rows)
      return () => text
    },
    areAllowed: clients =>
      areStillMembers(
        clients.map(({ sessionId, accountId, merchantId, role }) => ({ sessionId, accountId, merchantId, role })),
      ),
    groupsOf: ({ sessionId, merchantId }) => [
      [`session ${sessionId}`, mostOfSession],
      [`merchant ${merchantId}`, mostOfMerchant],
    ],
    failed: err => log.warn({ err }, 'merchant stream update failed, retrying'),
  })
  return {
    open: (owner, { sessionId, accountId, role, lastId }) =>
      streams.open({ sessionId, accountId, role, merchantId: owner.merchantId, owner }, lastId),
    stop: streams.stop,
  }
}

/** Without the last commit if the page may end within it: several changes of an object in one commit are one event. */
const wholeCommits = (rows: readonly ChangeRow[], page: number): FeedPage<ChangeRow> => {
  if (rows.length < page) return { rows, hasMore: false }
  const last = rows.at(-1)
  const whole = rows.filter(({ era, xid }) => era !== last?.era || xid !== last.xid)
  return { rows: whole.length > 0 ? whole : rows, hasMore: true }
}

/** One event for each object of a commit, at the place of its last change. */
const messagesOf = (rows: readonly ChangeRow[]): string => {
  const keyOf = ({ era, xid, actor }: ChangeRow) => `${era}.${xid}.${actor}`
  const lastOf = new Map(rows.map(row => [keyOf(row), row]))
  let text = ''
  for (const row of rows) {
    // Without an id: it comes before the change of the object, and a client that resumes between them gets both again.
    for (const id of row.deliveries ?? []) text += eventOf({ kind: 'delivery', id, state: 'pending', event: null })
    // The API has no object for some machines.
    if (machineObjects[row.kind] === undefined || lastOf.get(keyOf(row)) !== row) continue
    text += `id: ${positionId(row)}\n${eventOf({ kind: row.kind, id: row.actor, state: row.to, event: row.event })}`
  }
  return text
}

type Change = { readonly kind: string; readonly id: string; readonly state: string; readonly event: string | null }

const eventOf = ({ kind, id, state, event }: Change): string => {
  const { prefix } = resources[kind as MachineName]
  // The API has no status for a delivery that is being sent.
  const status = state === 'sending' ? 'pending' : state
  return `event: change\ndata: ${JSON.stringify({ object: machineObjects[kind], id: encodeId(prefix, id), status, event })}\n\n`
}

import { refuse } from '../errors.ts'
import { encodeId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { ChangePosition, ChangeRow, ChangesAfter, ReaderOf } from '../queries/changes.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import { type MachineName, machineObjects, resources } from '../resources.ts'
import { type ChangeReader, openChangeReader } from './change-reader.ts'
import { openRepeat } from './repeat.ts'
import { openStreamCounts, RETRY_S } from './stream-limits.ts'

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
  readonly areStillMembers: (readers: readonly ReaderOf[]) => Promise<readonly boolean[]>
  readonly log: Pick<Log, 'warn'>
  readonly everyMs?: number
  readonly beatMs?: number
  /** Maximum duration of a stream. Clients reconnect and miss nothing. */
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

type Listening = ReaderOf & { readonly owner: ListOwner; readonly since: number; after: ChangePosition }

/**
 * Sends members the changes of their merchants. One query at a time reads them for all open streams; there is no query while
 * no stream is open. Before each read, the streams are ended whose session has ended or whose account has another role in
 * the merchant, or none.
 */
export const openChangeStreams = ({
  read,
  findEnd,
  areStillMembers,
  log,
  everyMs = 300,
  beatMs = 15_000,
  longestMs = 3_600_000,
  limits = {},
}: ChangeStreamsOptions): ChangeStreams => {
  const { most = 5_000, mostOfSession = 10, mostOfMerchant = 200, mostUnread = 1_048_576, page = 2_000 } = limits
  const readers = new Map<ChangeReader, Listening>()
  const counts = openStreamCounts(most)
  const stopping = new AbortController()
  let beating: ReturnType<typeof setInterval> | undefined

  const groupsOf = ({ sessionId, merchantId }: Pick<ReaderOf, 'sessionId' | 'merchantId'>) =>
    [
      [`session ${sessionId}`, mostOfSession],
      [`merchant ${merchantId}`, mostOfMerchant],
    ] as const

  const endOthers = async (): Promise<void> => {
    const all = [...readers]
    const still = await areStillMembers(
      all.map(([, { sessionId, accountId, merchantId, role }]) => ({ sessionId, accountId, merchantId, role })),
    )
    for (const [n, [reader]] of all.entries()) if (!still[n]) reader.end()
  }

  const sayNews = async (): Promise<boolean> => {
    await endOthers()
    // Streams of a merchant are soon at the same position, which is read once.
    const places = [...Map.groupBy(readers, ([, { owner, after }]) => placeOf(owner, after)).values()]
    const found = await read(
      places.flatMap(([first]) => (first ? [first[1]] : [])),
      page,
    )
    let more = false
    for (const [n, rows] of found.entries()) {
      const { whole, isLast } = wholeCommits(rows, page)
      const last = whole.at(-1)
      if (!last) continue
      const text = messagesOf(whole)
      for (const [reader, listening] of places[n] ?? []) {
        listening.after = positionOf(last)
        reader.say(text)
        if (reader.unread() > mostUnread) reader.end()
        else if (!isLast && reader.unread() === text.length) more = true
      }
    }
    return more
  }
  const reading = openRepeat({
    ...{ run: sayNews, everyMs, isNeeded: () => readers.size > 0, stopping: stopping.signal },
    failed: err => log.warn({ err }, 'merchant stream update failed, retrying'),
  })

  const beat = (): void => {
    for (const [reader, { since }] of readers) {
      reader.beat()
      if (reader.unread() > mostUnread || performance.now() - since > longestMs) reader.end()
    }
  }

  const leave = (reader: ChangeReader): void => {
    const listening = readers.get(reader)
    if (listening) counts.leave(groupsOf(listening))
    readers.delete(reader)
    if (readers.size > 0) return
    clearInterval(beating)
    beating = undefined
  }

  return {
    open: async (owner, { sessionId, accountId, role, lastId }) => {
      if (stopping.signal.aborted) refuse('service_unavailable', { retryAfter: RETRY_S })
      const who = { sessionId, accountId, role, merchantId: owner.merchantId }
      counts.enter(groupsOf(who))
      const end = await findEnd().catch(error => {
        counts.leave(groupsOf(who))
        throw error
      })
      const last = lastId === null ? undefined : positionIn(lastId)
      const isKnown = last !== undefined && !isLater(last, end)
      const after = isKnown ? last : end
      const reset = lastId === null || isKnown ? '' : 'event: reset\ndata: {}\n'
      // Without data it is no event, but the client resumes from it if nothing has changed until then.
      const reader = openChangeReader(`${reset}id: ${idOf(after)}\n\n`, () => leave(reader))
      readers.set(reader, { ...who, owner, after, since: performance.now() })
      if (stopping.signal.aborted) reader.end()
      beating ??= setInterval(beat, beatMs)
      reading.start()
      return reader.stream
    },
    stop: () => {
      stopping.abort()
      for (const reader of readers.keys()) reader.end()
    },
  }
}

const placeOf = ({ merchantId, livemode }: ListOwner, after: ChangePosition): string =>
  `${merchantId} ${livemode} ${idOf(after)}`

/** Without the last commit if the page may end within it: several changes of an object in one commit are one event. */
const wholeCommits = (rows: readonly ChangeRow[], page: number) => {
  if (rows.length < page) return { whole: rows, isLast: true }
  const last = rows.at(-1)
  const whole = rows.filter(({ era, xid }) => era !== last?.era || xid !== last.xid)
  return { whole: whole.length > 0 ? whole : rows, isLast: false }
}

/** One event for each object of a commit, at the place of its last change. */
const messagesOf = (rows: readonly ChangeRow[]): string => {
  const keyOf = ({ era, xid, actor }: ChangeRow) => `${era}.${xid}.${actor}`
  const lastOf = new Map(rows.map(row => [keyOf(row), row]))
  let text = ''
  for (const row of rows) {
    // Without an id: it comes before the change of the object, and a client that resumes between them gets both again.
    for (const id of row.deliveries ?? []) text += eventOf({ kind: 'delivery', id, state: 'pending', event: null })
    if (lastOf.get(keyOf(row)) !== row) continue
    text += `id: ${idOf(row)}\n${eventOf({ kind: row.kind, id: row.actor, state: row.to, event: row.event })}`
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

const idOf = ({ era, xid, seq }: ChangePosition): string => `${era}.${xid}.${seq}`
const positionOf = ({ era, xid, seq }: ChangePosition): ChangePosition => ({ era, xid, seq })

const positionIn = (id: string): ChangePosition | undefined => {
  const [, era, xid, seq] = /^(\d{1,9})\.(\d{1,19})\.(\d{1,18})$/.exec(id) ?? []
  return era && xid && seq ? { era: Number(era), xid, seq } : undefined
}

/** A position that this database has not reached, such as one of the database that a backup was taken from. */
const isLater = (a: ChangePosition, end: ChangePosition): boolean =>
  a.era > end.era || (a.era === end.era && BigInt(a.xid) > BigInt(end.xid))

import { refuse } from '../errors.ts'
import type { ChangePosition } from '../queries/changes.ts'
import { type ChangeReader, openChangeReader } from './change-reader.ts'
import { openRepeat } from './repeat.ts'
import { openStreamCounts, RETRY_S, type StreamGroup } from './stream-limits.ts'

/** Event streams that follow the feed of transitions. `Client`: who reads a stream, and what is in it. */
export type FeedStreams<Client> = {
  /** `lastId` is the last event that the client has received. */
  open(client: Client, lastId: string | null): Promise<ReadableStream>
  /** Ends all streams and refuses new ones. */
  stop(): void
}

export type FeedPage<Row> = {
  readonly rows: readonly Row[]
  /** There is more, which is read as soon as a client has read these. */
  readonly hasMore: boolean
}

export type FeedStreamsOptions<Client, Row extends ChangePosition> = {
  /** Streams of the same source are soon at the same position, which is read once. */
  readonly sourceOf: (client: Client) => string
  readonly read: (
    places: readonly { readonly client: Client; readonly after: ChangePosition }[],
  ) => Promise<readonly FeedPage<Row>[]>
  /** The text for each client of the source. */
  readonly messagesOf: (rows: readonly Row[]) => (client: Client) => string
  readonly findEnd: () => Promise<ChangePosition>
  /** A position before which changes were dropped. */
  readonly findBegin: () => Promise<ChangePosition | undefined>
  readonly areAllowed: (clients: readonly Client[]) => Promise<readonly boolean[]>
  readonly groupsOf: (client: Client) => readonly StreamGroup[]
  /** Called once for failures in a row. */
  readonly failed: (err: unknown) => void
  readonly everyMs: number
  readonly beatMs: number
  /** Maximum duration of a stream. Clients reconnect and miss nothing. */
  readonly longestMs: number
  readonly most: number
  readonly mostUnread: number
}

type Listening<Client> = { readonly client: Client; readonly since: number; after: ChangePosition }

/**
 * Sends clients what is committed. One query at a time reads it for all open streams; there is no query while no stream is
 * open. Before each read, the streams of clients are ended that are not allowed to read them any more.
 */
export const openFeedStreams = <Client, Row extends ChangePosition>({
  sourceOf,
  read,
  messagesOf,
  findEnd,
  findBegin,
  areAllowed,
  groupsOf,
  failed,
  everyMs,
  beatMs,
  longestMs,
  most,
  mostUnread,
}: FeedStreamsOptions<Client, Row>): FeedStreams<Client> => {
  const readers = new Map<ChangeReader, Listening<Client>>()
  const counts = openStreamCounts(most)
  const stopping = new AbortController()
  let beating: ReturnType<typeof setInterval> | undefined

  const endOthers = async (): Promise<void> => {
    const all = [...readers]
    const allowed = await areAllowed(all.map(([, { client }]) => client))
    for (const [n, [reader]] of all.entries()) if (!allowed[n]) reader.end()
  }

  const sayNews = async (): Promise<boolean> => {
    await endOthers()
    const places = [
      ...Map.groupBy(readers, ([, { client, after }]) => `${sourceOf(client)} ${positionId(after)}`).values(),
    ]
    const found = await read(places.flatMap(([first]) => (first ? [first[1]] : [])))
    let more = false
    for (const [n, { rows, hasMore }] of found.entries()) {
      const last = rows.at(-1)
      if (!last) continue
      const textFor = messagesOf(rows)
      for (const [reader, listening] of places[n] ?? []) {
        const text = textFor(listening.client)
        listening.after = positionOf(last)
        reader.say(text)
        if (reader.unread() > mostUnread) reader.end()
        else if (hasMore && reader.unread() === text.length) more = true
      }
    }
    return more
  }
  const reading = openRepeat({
    ...{ run: sayNews, everyMs, isNeeded: () => readers.size > 0, stopping: stopping.signal, failed },
  })

  const beat = (): void => {
    for (const [reader, { since }] of readers) {
      reader.beat()
      if (reader.unread() > mostUnread || performance.now() - since > longestMs) reader.end()
    }
  }

  const leave = (reader: ChangeReader): void => {
    const listening = readers.get(reader)
    if (listening) counts.leave(groupsOf(listening.client))
    readers.delete(reader)
    if (readers.size > 0) return
    clearInterval(beating)
    beating = undefined
  }

  return {
    open: async (client, lastId) => {
      if (stopping.signal.aborted) refuse('service_unavailable', { retryAfter: RETRY_S })
      counts.enter(groupsOf(client))
      const [begin, end] = await Promise.all([lastId === null ? undefined : findBegin(), findEnd()]).catch(error => {
        counts.leave(groupsOf(client))
        throw error
      })
      const last = lastId === null ? undefined : positionIn(lastId)
      const isKnown = last !== undefined && !isLater(last, end) && !(begin && isBefore(last, begin))
      const after = isKnown ? last : end
      const reset = lastId === null || isKnown ? '' : 'event: reset\ndata: {}\n'
      // Without data it is no event, but the client resumes from it if nothing has changed until then.
      const reader = openChangeReader(`${reset}id: ${positionId(after)}\n\n`, () => leave(reader))
      readers.set(reader, { client, after, since: performance.now() })
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

/** The ID of an event: the position after which a client resumes. */
export const positionId = ({ era, xid, seq }: ChangePosition): string => `${era}.${xid}.${seq}`

const positionOf = ({ era, xid, seq }: ChangePosition): ChangePosition => ({ era, xid, seq })

const positionIn = (id: string): ChangePosition | undefined => {
  const [, era, xid, seq] = /^(\d{1,9})\.(\d{1,19})\.(\d{1,18})$/.exec(id) ?? []
  return era && xid && seq ? { era: Number(era), xid, seq } : undefined
}

const isBefore = (a: ChangePosition, b: ChangePosition): boolean => {
  if (a.era !== b.era) return a.era < b.era
  if (BigInt(a.xid) !== BigInt(b.xid)) return BigInt(a.xid) < BigInt(b.xid)
  return BigInt(a.seq) < BigInt(b.seq)
}

/** A position that this database has not reached, such as one of the database that a backup was taken from. */
const isLater = (a: ChangePosition, end: ChangePosition): boolean =>
  a.era > end.era || (a.era === end.era && BigInt(a.xid) > BigInt(end.xid))

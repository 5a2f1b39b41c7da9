import { refuse } from '../errors.ts'
import type { Log } from '../log.ts'
import { openEventReader, type Reader, type Said } from './checkout-reader.ts'
import { openRepeat } from './repeat.ts'
import { openStreamCounts, RETRY_S, type StreamGroup } from './stream-limits.ts'

/** The current state of a payment, an invoice or a subscription. `key` is cheap, and changes whenever the result of `say` can change. */
export type StreamedState = { readonly rev: number; readonly key: string; say(): Said }

export type Streams = {
  /** Opens a stream of the payment or invoice. `lastId` in `to` is the last event that the client has received. */
  open(paymentId: string, seen: StreamedState, to: StreamListener): ReadableStream
  /** Ends all streams and refuses new ones. */
  stop(): void
}

/** The origin of a stream for limits; undefined if callers cannot be distinguished. */
export type StreamOrigin = { readonly network: string; readonly site: string } | undefined

type StreamLimits = { readonly most: number; readonly mostOfNetwork: number; readonly mostOfSite: number }

export type StreamListener = { readonly origin: StreamOrigin; readonly lastId: string | null }

export type StreamsOptions = {
  /** Reads those of the payments that may have changed since these revisions. `over`: its streams end. */
  readonly look: (revisions: ReadonlyMap<string, number>) => Promise<ReadonlyMap<string, StreamedState | 'over'>>
  readonly log: Pick<Log, 'warn'>
  readonly everyMs?: number
  readonly beatMs?: number
  /** Maximum duration of a stream. Clients reconnect automatically and get no state twice. */
  readonly longestMs?: number
  readonly limits?: Partial<StreamLimits & { readonly mostOfPayment: number }>
}

/** What was read last of a payment, and its readers, oldest first. */
type Watched = { rev: number; key: string | undefined; readonly readers: Set<Reader> }

/** Of no payment, so that it is read. */
const UNKNOWN = -1

/**
 * Sends customers the state of their payments. One query at a time reads all payments with open streams; there is no query
 * while no stream is open.
 */
export const openStreams = ({
  look,
  log,
  everyMs = 150,
  beatMs = 15_000,
  longestMs = 3_600_000,
  limits: { mostOfPayment = 10, most = 5_000, mostOfNetwork = 60, mostOfSite = 250 } = {},
}: StreamsOptions): Streams => {
  const payments = new Map<string, Watched>()
  const readers = new Map<Reader, { readonly since: number; readonly origin: StreamOrigin }>()
  const counts = openStreamCounts(most)
  const stopping = new AbortController()
  let beating: ReturnType<typeof setInterval> | undefined

  /** A network is an IPv4 address or an IPv6 /64, a site an IPv6 /48. */
  const groupsOf = (origin: StreamOrigin): readonly StreamGroup[] => {
    if (!origin) return []
    const { network, site } = origin
    const group = [network, mostOfNetwork] as const
    // For IPv4 both are the address; only the limit of the network applies.
    return site === network ? [group] : [group, [site, mostOfSite]]
  }

  const lookAgain = async (): Promise<false> => {
    const changed = await look(new Map([...payments].map(([id, { rev }]) => [id, rev])))
    for (const [id, now] of changed) {
      const watched = payments.get(id)
      if (!watched) continue
      if (now === 'over') {
        for (const reader of [...watched.readers]) reader.end()
        continue
      }
      watched.rev = now.rev
      if (now.key === watched.key) continue
      watched.key = now.key
      const said = now.say()
      for (const reader of watched.readers) reader.say(said)
    }
    return false
  }
  // After a failure, the clients get the state when the database is available again.
  const looking = openRepeat({
    ...{ run: lookAgain, everyMs, isNeeded: () => payments.size > 0, stopping: stopping.signal },
    failed: err => log.warn({ err }, 'checkout stream update failed, retrying'),
  })

  const beat = (): void => {
    for (const [reader, { since }] of readers) {
      if (reader.beat() >= MOST_UNREAD || performance.now() - since > longestMs) reader.end()
    }
    // Now and then all are read, because reading a payment also checks its balance.
    for (const watched of payments.values()) watched.rev = UNKNOWN
  }

  const join = (paymentId: string, reader: Reader, origin: StreamOrigin): void => {
    const watched = payments.get(paymentId) ?? { rev: UNKNOWN, key: undefined, readers: new Set() }
    // The next query sends the state to the new client too: it may have been opened with an older state than the others.
    watched.rev = UNKNOWN
    watched.key = undefined
    watched.readers.add(reader)
    payments.set(paymentId, watched)
    readers.set(reader, { since: performance.now(), origin })
    beating ??= setInterval(beat, beatMs)
    looking.start()
  }

  const leave = (paymentId: string, reader: Reader): void => {
    const { origin } = readers.get(reader) ?? {}
    counts.leave(groupsOf(origin))
    readers.delete(reader)
    const watched = payments.get(paymentId)
    watched?.readers.delete(reader)
    if (watched?.readers.size === 0) payments.delete(paymentId)
    if (readers.size > 0) return
    clearInterval(beating)
    beating = undefined
  }

  /** The oldest stream of the payment, if a new one has to replace it. */
  const replacedBy = (paymentId: string): Reader | undefined => {
    const watched = payments.get(paymentId)
    if (!watched || watched.readers.size < mostOfPayment) return undefined
    const [oldest] = watched.readers
    return oldest
  }

  return {
    open: (paymentId, seen, { origin, lastId }) => {
      if (stopping.signal.aborted) refuse('service_unavailable', { retryAfter: RETRY_S })
      const replaced = replacedBy(paymentId)
      counts.enter(groupsOf(origin), replaced && groupsOf(readers.get(replaced)?.origin))
      replaced?.end()
      const reader = openEventReader(lastId, () => leave(paymentId, reader))
      reader.say(seen.say())
      join(paymentId, reader, origin)
      return reader.stream
    },
    stop: () => {
      stopping.abort()
      for (const reader of readers.keys()) reader.end()
    },
  }
}

/** Number of heartbeats that a client may leave unread. */
const MOST_UNREAD = 2

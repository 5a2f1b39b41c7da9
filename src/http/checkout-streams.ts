import { setTimeout as sleep } from 'node:timers/promises'
import { refuse } from '../errors.ts'
import type { Log } from '../log.ts'
import { openReader, type Reader, type Said } from './checkout-reader.ts'
import { openStreamCounts, RETRY_S, type StreamLimits, type StreamOrigin } from './stream-limits.ts'

/** How a payment is now. `key` costs little and changes whenever `say` might. */
export type Seen = { readonly key: string; say(): Said }

export type Streams = {
  /** A stream of the payment, for somebody who has seen the state of that id already. */
  open(paymentId: string, seen: Seen, to: Listener): ReadableStream
  /** Ends all of them, and opens no other. */
  stop(): void
}

export type Listener = { readonly origin: StreamOrigin; readonly lastId: string | null }

export type StreamsOptions = {
  /** All payments that somebody is told of, by their ids. */
  readonly look: (paymentIds: readonly string[]) => Promise<ReadonlyMap<string, Seen>>
  readonly log: Pick<Log, 'warn'>
  readonly everyMs?: number
  readonly beatMs?: number
  /** Nobody stays for longer; clients come back by themselves, and are told nothing twice. */
  readonly longestMs?: number
  readonly limits?: Partial<StreamLimits & { readonly mostOfPayment: number }>
}

/** The readers of a payment, oldest first. */
type Watched = { key: string | undefined; readonly readers: Set<Reader> }

/**
 * Tells customers of their payments. One look after another at all of them, for however many listen, and
 * none while nobody does.
 */
export const openStreams = ({
  look,
  log,
  everyMs = 300,
  beatMs = 15_000,
  longestMs = 3_600_000,
  limits: { mostOfPayment = 10, ...limits } = {},
}: StreamsOptions): Streams => {
  const payments = new Map<string, Watched>()
  const readers = new Map<Reader, { readonly since: number; readonly origin: StreamOrigin }>()
  const counts = openStreamCounts({ most: 5_000, mostOfNetwork: 60, mostOfSite: 250, ...limits })
  const stopping = new AbortController()
  let looking = false
  let beating: ReturnType<typeof setInterval> | undefined

  const lookAgain = async (): Promise<void> => {
    const seen = await look([...payments.keys()])
    for (const [id, watched] of payments) {
      const now = seen.get(id)
      if (!now || now.key === watched.key) continue
      watched.key = now.key
      const said = now.say()
      for (const reader of watched.readers) reader.say(said)
    }
  }

  const goOn = async (): Promise<void> => {
    let failing = false
    while (payments.size > 0 && !stopping.signal.aborted) {
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
      try {
        if (payments.size > 0 && !stopping.signal.aborted) await lookAgain()
        failing = false
      } catch (err) {
        // Whoever listens is told when the database is back.
        if (!failing) log.warn({ err }, 'customers cannot be told of their payments')
        failing = true
      }
    }
    looking = false
  }

  const beat = (): void => {
    for (const [reader, { since }] of readers) {
      if (reader.beat() >= MOST_UNREAD || performance.now() - since > longestMs) reader.end()
    }
  }

  const join = (paymentId: string, reader: Reader, origin: StreamOrigin): void => {
    const watched = payments.get(paymentId) ?? { key: undefined, readers: new Set() }
    // The next look tells whoever has come: what it was opened with may be older than what the others know.
    watched.key = undefined
    watched.readers.add(reader)
    payments.set(paymentId, watched)
    readers.set(reader, { since: performance.now(), origin })
    beating ??= setInterval(beat, beatMs)
    if (looking) return
    looking = true
    void goOn()
  }

  const leave = (paymentId: string, reader: Reader): void => {
    counts.leave(readers.get(reader)?.origin)
    readers.delete(reader)
    const watched = payments.get(paymentId)
    watched?.readers.delete(reader)
    if (watched?.readers.size === 0) payments.delete(paymentId)
    if (readers.size > 0) return
    clearInterval(beating)
    beating = undefined
  }

  /** One more stream of the payment ends its oldest one. */
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
      counts.enter(origin, replaced && readers.get(replaced))
      replaced?.end()
      const reader = openReader(lastId, () => leave(paymentId, reader))
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

/** Beats that somebody may leave unread. */
const MOST_UNREAD = 2

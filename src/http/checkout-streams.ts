import { setTimeout as sleep } from 'node:timers/promises'
import { refuse } from '../errors.ts'
import type { Log } from '../log.ts'
import { openReader, type Reader, type Said } from './checkout-reader.ts'

/** How a payment is now. `key` costs little and changes whenever `say` might. */
export type Seen = { readonly key: string; say(): Said }

export type Streams = {
  /** A stream of the payment, for somebody who has seen the state of that id already. */
  open(paymentId: string, seen: Seen, to: Listener): ReadableStream
  /** Ends all of them, and opens no other. */
  stop(): void
}

/** `group`: what limits count by; undefined where nobody can be told from others. */
export type Listener = { readonly group: string | undefined; readonly lastId: string | null }

export type StreamsOptions = {
  /** All payments that somebody is told of, by their ids. */
  readonly look: (paymentIds: readonly string[]) => Promise<ReadonlyMap<string, Seen>>
  readonly log: Pick<Log, 'warn'>
  readonly everyMs?: number
  readonly beatMs?: number
  /** Nobody stays for longer; clients come back by themselves, and are told nothing twice. */
  readonly longestMs?: number
  readonly most?: number
  readonly mostOfGroup?: number
}

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
  most = 1_000,
  mostOfGroup = 30,
}: StreamsOptions): Streams => {
  const payments = new Map<string, Watched>()
  const readers = new Map<Reader, { readonly since: number }>()
  const groups = new Map<string | undefined, number>()
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

  const join = (paymentId: string, reader: Reader, group: Listener['group']): void => {
    const watched = payments.get(paymentId) ?? { key: undefined, readers: new Set() }
    // The next look tells whoever has come: what it was opened with may be older than what the others know.
    watched.key = undefined
    watched.readers.add(reader)
    payments.set(paymentId, watched)
    readers.set(reader, { since: performance.now() })
    groups.set(group, (groups.get(group) ?? 0) + 1)
    beating ??= setInterval(beat, beatMs)
    if (looking) return
    looking = true
    void goOn()
  }

  const leave = (paymentId: string, reader: Reader, group: Listener['group']): void => {
    readers.delete(reader)
    const watched = payments.get(paymentId)
    watched?.readers.delete(reader)
    if (watched?.readers.size === 0) payments.delete(paymentId)
    const others = (groups.get(group) ?? 1) - 1
    if (others > 0) groups.set(group, others)
    else groups.delete(group)
    if (readers.size > 0) return
    clearInterval(beating)
    beating = undefined
  }

  return {
    open: (paymentId, seen, { group, lastId }) => {
      if (stopping.signal.aborted || readers.size >= most) refuse('service_unavailable', { retryAfter: RETRY_S })
      if (group !== undefined && (groups.get(group) ?? 0) >= mostOfGroup)
        refuse('rate_limited', { retryAfter: RETRY_S })
      const reader = openReader(lastId, () => leave(paymentId, reader, group))
      reader.say(seen.say())
      join(paymentId, reader, group)
      return reader.stream
    },
    stop: () => {
      stopping.abort()
      for (const reader of readers.keys()) reader.end()
    },
  }
}

const RETRY_S = 5

/** Beats that somebody may leave unread. */
const MOST_UNREAD = 2

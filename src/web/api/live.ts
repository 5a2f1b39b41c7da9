import { type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, openStream } from './request.ts'
import type { Session } from './session.ts'
import { readEvents } from './sse.ts'
import { asLeader } from './tabs.ts'

/** A committed change of a record of the merchant. */
export type LiveChange = {
  readonly object: string
  readonly id: string
  readonly status: string
  readonly event: string | null
}

export type LiveState =
  | { readonly phase: 'connecting' }
  | { readonly phase: 'live' }
  /** What the page shows may be old. It asks again every 15 seconds. */
  | { readonly phase: 'offline'; readonly since: Date }
  /** The session has ended or has lost its access to the merchant. */
  | { readonly phase: 'refused'; readonly code: string }

export type Live = { readonly state: ReadonlySignal<LiveState>; close(): void }

type LiveOptions = {
  readonly session: Pick<Session, 'bearer'>
  readonly merchantId: string
  readonly livemode: boolean
  readonly onChange: (change: LiveChange) => void
  /** The server has ended the stream: the role of the account in the merchant may be another one now. */
  readonly onEnd: () => void
  /** Anything may have changed: after a gap that the stream cannot fill, and every 15 seconds while offline. */
  readonly onStale: () => void
}

type Message =
  | { readonly kind: 'change'; readonly change: LiveChange; readonly id: string }
  | { readonly kind: 'stale'; readonly id: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'state'; readonly state: LiveState }
  | { readonly kind: 'what_state' }

const POLL_MS = 15_000
/** The server sends at least a comment every 15 seconds. */
const SILENCE_MS = 35_000
const SHORTEST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

/**
 * The changes of a merchant as they are committed. One tab of a browser reads the stream and sends it to the others; when it
 * is closed, another one goes on after the last message that it has received.
 */
export const openLive = ({ session, merchantId, livemode, onChange, onEnd, onStale }: LiveOptions): Live => {
  const state = signal<LiveState>({ phase: 'connecting' })
  const closing = new AbortController()
  const name = `stream ${merchantId} ${livemode}`
  const tabs = new BroadcastChannel(`paymachine ${name}`)
  let lastId = ''
  let isLeader = false

  const receive = (message: Message) => {
    if (message.kind === 'what_state') {
      if (isLeader) tabs.postMessage({ kind: 'state', state: state.value } satisfies Message)
    } else if (message.kind === 'state') state.value = message.state
    else if (message.kind === 'end') onEnd()
    else {
      lastId = message.id
      if (message.kind === 'change') onChange(message.change)
      else onStale()
    }
  }
  tabs.onmessage = ({ data }: MessageEvent<Message>) => receive(data)
  tabs.postMessage({ kind: 'what_state' } satisfies Message)
  const say = (message: Message) => {
    tabs.postMessage(message)
    receive(message)
  }

  /** Reads one connection to its end. */
  const read = async (): Promise<void> => {
    const silence = new AbortController()
    const heard = alarm(() => silence.abort(), SILENCE_MS)
    try {
      const bearer = await session.bearer()
      const body = await openStream(
        `/v1/merchants/${merchantId}/stream?livemode=${livemode}`,
        { authorization: `Bearer ${bearer}`, ...(lastId && { 'last-event-id': lastId }) },
        AbortSignal.any([closing.signal, silence.signal]),
      )
      const isGap = state.value.phase === 'offline' && lastId === ''
      say({ kind: 'state', state: { phase: 'live' } })
      // Without an ID to go on from, what was committed in between is not in the stream.
      if (isGap) say({ kind: 'stale', id: '' })
      for await (const message of readEvents(body)) {
        heard.again()
        if (message?.event === 'reset') say({ kind: 'stale', id: message.id })
        else if (message) say({ kind: 'change', change: JSON.parse(message.data), id: message.id })
      }
    } finally {
      heard.stop()
    }
  }

  const lead = async (): Promise<void> => {
    isLeader = true
    for (let wait = SHORTEST_WAIT_MS; !closing.signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      const began = Date.now()
      try {
        await read()
        if (!closing.signal.aborted) say({ kind: 'end' })
      } catch (error) {
        if (error instanceof ApiError && isFinal(error))
          return say({ kind: 'state', state: { phase: 'refused', code: error.code } })
      }
      if (closing.signal.aborted) return
      // A server that is stopped ends its streams: a reader that comes back at once does not tell people of it.
      const wasLong = Date.now() - began > LONGEST_WAIT_MS
      if (wasLong) wait = SHORTEST_WAIT_MS
      else if (state.value.phase !== 'offline') say({ kind: 'state', state: { phase: 'offline', since: new Date() } })
      // Not all browsers in the same moment.
      await pause(wait * (0.5 + Math.random() / 2), closing.signal)
    }
  }

  const polling = setInterval(() => {
    if (state.value.phase === 'offline') onStale()
  }, POLL_MS)
  void asLeader(name, closing.signal, lead)

  return {
    state,
    close: () => {
      clearInterval(polling)
      closing.abort()
      tabs.close()
    },
  }
}

const isFinal = ({ status }: ApiError): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429

/** Goes off unless it is wound again in time. */
const alarm = (goOff: () => void, ms: number) => {
  let timer = setTimeout(goOff, ms)
  return {
    again: () => {
      clearTimeout(timer)
      timer = setTimeout(goOff, ms)
    },
    stop: () => clearTimeout(timer),
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

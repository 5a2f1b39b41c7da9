import { type ReadonlySignal, signal } from '@preact/signals'
import { followStream, type StreamState } from './follow.ts'
import type { Session } from './session.ts'
import { asLeader } from './tabs.ts'

/** A committed change of a record of the merchant. */
export type LiveChange = {
  readonly object: string
  readonly id: string
  readonly status: string
  readonly event: string | null
}

export type Live = { readonly state: ReadonlySignal<StreamState>; close(): void }

type LiveOptions = {
  readonly session: Pick<Session, 'bearer'>
  readonly merchantId: string
  readonly livemode: boolean
  readonly onChange: (change: LiveChange) => void
  /** The stream has ended, or is open again: the role of the account in the merchant may be another one now. */
  readonly onEnd: () => void
  /** Anything may have changed: after a gap that the stream cannot fill, and every 15 seconds while offline. */
  readonly onStale: () => void
}

type Message =
  | { readonly kind: 'change'; readonly change: LiveChange; readonly id: string }
  | { readonly kind: 'stale'; readonly id: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'state'; readonly state: StreamState }
  | { readonly kind: 'what_state' }

const POLL_MS = 15_000

/**
 * The changes of a merchant as they are committed. One tab of a browser reads the stream and sends it to the others; when it
 * is closed, another one goes on after the last message that it has received.
 */
export const openLive = ({ session, merchantId, livemode, onChange, onEnd, onStale }: LiveOptions): Live => {
  const state = signal<StreamState>({ phase: 'connecting' })
  const closing = new AbortController()
  const name = `stream ${merchantId} ${livemode}`
  const tabs = new BroadcastChannel(`paymachine ${name}`)
  let lastId = ''
  let isLeader = false
  let wasLive = false

  const receive = (message: Message) => {
    if (message.kind === 'what_state') {
      if (isLeader) tabs.postMessage({ kind: 'state', state: state.value } satisfies Message)
    } else if (message.kind === 'state') {
      state.value = message.state
      wasLive ||= message.state.phase === 'live'
    } else if (message.kind === 'end') onEnd()
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

  const setState = (next: StreamState) => {
    const isOpen = next.phase === 'live'
    // Without an ID to go on from, what was committed in between is not in the stream.
    const isGap = isOpen && state.value.phase === 'offline' && lastId === ''
    const isAgain = isOpen && wasLive
    say({ kind: 'state', state: next })
    // The role may have changed in between: only an open stream is ended for that.
    if (isAgain) say({ kind: 'end' })
    if (isGap) say({ kind: 'stale', id: '' })
  }

  const lead = async (): Promise<void> => {
    isLeader = true
    await followStream({
      ...{ session, signal: closing.signal, setState },
      path: `/v1/merchants/${merchantId}/stream?livemode=${livemode}`,
      lastId: () => lastId,
      phase: () => state.value.phase,
      onMessage: ({ event, data, id }) =>
        say(event === 'reset' ? { kind: 'stale', id } : { kind: 'change', change: JSON.parse(data), id }),
      onEnd: () => say({ kind: 'end' }),
    })
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

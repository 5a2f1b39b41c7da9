import { ApiError, openStream } from './request.ts'
import type { Session } from './session.ts'
import { readEvents, type StreamMessage } from './sse.ts'

export type StreamState =
  | { readonly phase: 'connecting' }
  | { readonly phase: 'live' }
  /** What the page shows may be old. */
  | { readonly phase: 'offline'; readonly since: Date }
  /** The session has ended or has lost its access. */
  | { readonly phase: 'refused'; readonly code: string }

type FollowOptions = {
  readonly session: Pick<Session, 'bearer'>
  readonly path: string
  readonly signal: AbortSignal
  /** The last message that was received, after which the next connection begins. */
  readonly lastId: () => string
  readonly phase: () => StreamState['phase']
  readonly setState: (state: StreamState) => void
  readonly onMessage: (message: StreamMessage) => void
  /** The stream is at this place, without a message. */
  readonly onPlace?: (id: string) => void
  readonly onEnd?: () => void
}

/** The server sends at least a comment every 15 seconds. */
const SILENCE_MS = 35_000
const SHORTEST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

/** Reads an event stream until `signal` is aborted or the server refuses it, and connects again when it has ended. */
export const followStream = async (options: FollowOptions): Promise<void> => {
  const { signal, phase, setState, onEnd } = options
  for (let wait = SHORTEST_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    const began = Date.now()
    try {
      await readOnce(options)
      if (!signal.aborted) onEnd?.()
    } catch (error) {
      if (error instanceof ApiError && isFinal(error)) return setState({ phase: 'refused', code: error.code })
    }
    if (signal.aborted) return
    // A server that is stopped ends its streams: a reader that comes back at once does not tell people of it.
    const wasLong = Date.now() - began > LONGEST_WAIT_MS
    if (wasLong) wait = SHORTEST_WAIT_MS
    else if (phase() !== 'offline') setState({ phase: 'offline', since: new Date() })
    // Not all browsers in the same moment.
    await pause(wait * (0.5 + Math.random() / 2), signal)
  }
}

/** Reads one connection to its end. */
const readOnce = async ({ session, path, signal, lastId, setState, onMessage, onPlace }: FollowOptions) => {
  const silence = new AbortController()
  const heard = alarm(() => silence.abort(), SILENCE_MS)
  try {
    const bearer = await session.bearer()
    const id = lastId()
    const body = await openStream(
      path,
      { authorization: `Bearer ${bearer}`, ...(id && { 'last-event-id': id }) },
      AbortSignal.any([signal, silence.signal]),
    )
    setState({ phase: 'live' })
    for await (const message of readEvents(body, onPlace)) {
      heard.again()
      if (message) onMessage(message)
    }
  } finally {
    heard.stop()
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

import { BEAT, openTextStream, RETRY } from './text-stream.ts'

/** A state as one event, `payment` by default. Equal data has an equal ID. */
export type Said = {
  readonly id: string
  readonly event?: 'payment' | 'invoice' | 'subscription'
  readonly data: string
}

/** A client with an open event stream. */
export type Reader = {
  readonly stream: ReadableStream<Uint8Array>
  /** Sends the newest state, unless it was sent last. */
  say(said: Said): void
  /** Sends a comment as a heartbeat. Returns the number of heartbeats that were not read before. */
  beat(): number
  end(): void
}

/**
 * Server-sent events on a web stream. Nothing is written before the client reads. Only the newest state is kept for a slow
 * client: it misses intermediate states and needs the memory of one text. `gone` is called once when the stream ends.
 */
export const openEventReader = (lastId: string | null, gone: () => void): Reader => {
  let sentId = lastId
  let next: Said | undefined
  let waiting = RETRY
  let unread = 0

  const take = (): string => {
    const said = next ? eventOf(next) : ''
    const text = waiting + said
    waiting = ''
    next = undefined
    unread = 0
    return text
  }
  const { stream, wake, end } = openTextStream(take, gone)
  return {
    stream,
    end,
    say: said => {
      if (said.id === sentId) return
      sentId = said.id
      next = said
      wake()
    },
    beat: () => {
      if (waiting === '') waiting = BEAT
      wake()
      return unread++
    },
  }
}

/** The data is JSON on one line. */
const eventOf = ({ id, event = 'payment', data }: Said): string => `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`

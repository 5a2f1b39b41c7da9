/** A web stream of UTF-8 text that is made when the client reads. */
export type TextStream = {
  readonly stream: ReadableStream<Uint8Array>
  /** There is text to send. */
  wake(): void
  end(): void
}

/** `take` returns the text that waits, or an empty one. `gone` is called once when the stream ends. */
export const openTextStream = (take: () => string, gone: () => void): TextStream => {
  let ended = false
  let wake = () => {}

  const end = () => {
    if (ended) return
    ended = true
    wake()
    gone()
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        while (!ended) {
          const text = take()
          if (text !== '') return controller.enqueue(utf8.encode(text))
          await new Promise<void>(resolve => {
            wake = resolve
          })
        }
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return { stream, wake: () => wake(), end }
}

const utf8 = new TextEncoder()

/** Delay after which a client reconnects. */
export const RETRY = 'retry: 2000\n\n'
/** A comment. */
export const BEAT = ':\n\n'

/** Some proxies buffer responses unless this header disables it. */
export const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }

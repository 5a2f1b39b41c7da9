/** A state as one event: `id` is the same as long as `data` is. */
export type Said = { readonly id: string; readonly data: string }

/** Somebody who is told of a payment, on a connection that stays open. */
export type Reader = {
  readonly stream: ReadableStream<Uint8Array>
  /** Tells the newest state, unless that is what was told last. */
  say(said: Said): void
  /** Shows proxies and the client that the connection lives. Answers how often that was in vain by now. */
  beat(): number
  end(): void
}

/** Where a client is to come back to, when it has lost us. */
const RETRY_MS = 2_000

/**
 * Server-sent events by web streams alone. Nothing is written before the client reads, and of what happens
 * meanwhile only the newest state is kept: whoever reads slowly misses steps in between and costs one text.
 * `gone` is called once, however it ends.
 */
export const openReader = (lastId: string | null, gone: () => void): Reader => {
  let toldId = lastId
  let next: Said | undefined
  let waiting = `retry: ${RETRY_MS}\n\n`
  let unread = 0
  let ended = false
  let wake = () => {}

  const take = (): string => {
    const said = next ? eventOf(next) : ''
    const text = waiting + said
    waiting = ''
    next = undefined
    unread = 0
    return text
  }
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
  return {
    stream,
    end,
    say: said => {
      if (said.id === toldId) return
      toldId = said.id
      next = said
      wake()
    },
    beat: () => {
      if (waiting === '') waiting = ':\n\n'
      wake()
      return unread++
    },
  }
}

const utf8 = new TextEncoder()

/** The data is one line of JSON. */
const eventOf = ({ id, data }: Said): string => `id: ${id}\nevent: payment\ndata: ${data}\n\n`

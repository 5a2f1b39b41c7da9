/** What a stream reports. `gone`: the payment cannot be read any more, so trying again is useless. */
export type StreamEvent =
  | { readonly type: 'opened' }
  | { readonly type: 'changed'; readonly id: string }
  | { readonly type: 'closed'; readonly retryMs: number | undefined }
  | { readonly type: 'gone' }

/**
 * Reads server-sent events by `fetch`, which returns the status and sends the last ID from the beginning, both unlike
 * EventSource. A stream without even a heartbeat for `silentMs` is taken for broken.
 */
export const readStream = (
  url: string,
  lastId: string | undefined,
  report: (event: StreamEvent) => void,
  silentMs = 40_000,
): (() => void) => {
  const stopping = new AbortController()
  const { signal } = stopping
  let silence: ReturnType<typeof setTimeout> | undefined
  const heard = () => {
    clearTimeout(silence)
    silence = setTimeout(() => stopping.abort('silent'), silentMs)
  }
  const read = async (): Promise<StreamEvent> => {
    heard()
    const response = await fetch(url, { signal, headers: lastId === undefined ? {} : { 'last-event-id': lastId } })
    if (response.status === 404 || response.status === 410) return { type: 'gone' }
    const retryAfter = Number(response.headers.get('retry-after'))
    if (!response.ok || !response.body)
      return { type: 'closed', retryMs: retryAfter > 0 ? retryAfter * 1_000 : undefined }
    report({ type: 'opened' })
    let text = ''
    for await (const piece of piecesOf(response.body)) {
      heard()
      text += piece
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const id of events.flatMap(idOf)) report({ type: 'changed', id })
    }
    return { type: 'closed', retryMs: undefined }
  }
  read()
    .catch((): StreamEvent => ({ type: 'closed', retryMs: undefined }))
    .then(event => {
      clearTimeout(silence)
      if (!signal.aborted || signal.reason === 'silent') report(event)
    })
  return () => {
    clearTimeout(silence)
    stopping.abort()
  }
}

/** Not every browser iterates over a stream. */
async function* piecesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

/** The ID of an event with data; a comment has none. */
const idOf = (event: string): readonly string[] => {
  const id = /^id: ?(.*)$/m.exec(event)?.[1]
  return id === undefined ? [] : [id]
}

/** One message of an event stream. `id` is the last one that was sent, in this message or before. */
export type StreamMessage = { readonly event: string; readonly data: string; readonly id: string }

/**
 * Reads server-sent events from a body. EventSource cannot send an Authorization header. Yields undefined for comments,
 * so that the reader knows that the connection lives. `onPlace` gets an ID that was sent without a message.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onPlace?: (id: string) => void,
): AsyncGenerator<StreamMessage | undefined> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let [text, event, data, id] = ['', '', '', '']
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      // The last line may go on in the next piece; and a CR at the end may be followed by its LF.
      const lines = (text + value).split(/\r\n|\n|\r(?!$)/)
      text = lines.pop() ?? ''
      for (const line of lines) {
        const [, field = '', content = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
        if (line === '') {
          if (data !== '') yield { event: event || 'message', data: data.slice(0, -1), id }
          else if (id !== '') onPlace?.(id)
          event = data = ''
        } else if (field === '') yield undefined
        else if (field === 'event') event = content
        else if (field === 'data') data += `${content}\n`
        else if (field === 'id') id = content
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

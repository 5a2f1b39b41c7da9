export type ServerEvent = { readonly id: string; readonly event: string; readonly data: unknown }

/** Reads server-sent events as a browser does, one by one. */
export const events = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
  const leaving = new AbortController()
  const response = await fetch(url, { headers, signal: leaving.signal })
  const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let comments = 0
  let lastId = ''

  const block = async (): Promise<string | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const found = text.slice(0, end)
        text = text.slice(end + 2)
        return found
      }
      const piece = await pieces?.read()
      if (!piece || piece.done) return undefined
      text += piece.value
    }
  }

  return {
    response,
    /** The next event; undefined when the stream has ended. Throws when the connection was cut. */
    next: async (): Promise<ServerEvent | undefined> => {
      for (;;) {
        const found = await block()
        if (found === undefined) return undefined
        const fields = new Map(found.split('\n').map(line => /^(\w*): ?(.*)$/.exec(line)?.slice(1) as [string, string]))
        if (found.startsWith(':')) comments++
        if (!fields.has('data')) continue
        lastId = fields.get('id') ?? ''
        return { id: lastId, event: fields.get('event') ?? 'message', data: JSON.parse(fields.get('data') ?? '') }
      }
    },
    lastId: () => lastId,
    /** The id that the stream sends before its first event. */
    firstId: async (): Promise<string> => {
      for (;;) {
        const [, id] = /^id: ?(.*)$/m.exec((await block()) ?? 'id:') ?? []
        if (id !== undefined) return id
      }
    },
    comments: () => comments,
    leave: () => leaving.abort(),
  }
}

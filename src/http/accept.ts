/** Whether an Accept header asks for a page rather than for JSON, as a browser's does for what people open. */
export const prefersHtml = (accept: string | null): boolean =>
  qualityOf(accept, ['text/html', 'text/*', '*/*']) > qualityOf(accept, ['application/json', 'application/*', '*/*'])

export const acceptsGzip = (acceptEncoding: string | null): boolean => qualityOf(acceptEncoding, ['gzip', '*']) > 0

/** The weight of the first of the names that a header lists, the most specific one first; 0 where it lists none. */
const qualityOf = (header: string | null, names: readonly string[]): number => {
  const listed = new Map((header ?? '').split(',').map(parse))
  const name = names.find(each => listed.has(each))
  return name === undefined ? 0 : (listed.get(name) ?? 0)
}

const parse = (part: string): readonly [name: string, quality: number] => {
  const [name = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
  const quality = parameters.find(each => each.startsWith('q='))?.slice(2)
  return [name, quality === undefined ? 1 : Number(quality) || 0]
}

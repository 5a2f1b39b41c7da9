/** Whether an Accept header prefers HTML to JSON, as that of a browser does for a page. */
export const prefersHtml = (accept: string | null): boolean =>
  qualityOf(accept, ['text/html', 'text/*', '*/*']) > qualityOf(accept, ['application/json', 'application/*', '*/*'])

export const acceptsGzip = (acceptEncoding: string | null): boolean => qualityOf(acceptEncoding, ['gzip', '*']) > 0

/**
 * The smallest encoding among those with the highest quality value (RFC 9110, 12.5.3). Identity if nothing is accepted: a
 * browser that accepts nothing at all does not exist.
 */
export const preferredEncoding = (acceptEncoding: string | null): Encoding => {
  const qualities = encodings.map(name => qualityOf(acceptEncoding, [name, '*']))
  const best = Math.max(...qualities)
  return best > 0 ? (encodings[qualities.indexOf(best)] ?? 'identity') : 'identity'
}

export type Encoding = (typeof encodings)[number]

const encodings = ['br', 'gzip', 'identity'] as const

/** The quality value of the first of these names that the header lists; 0 if it lists none. The most specific name comes first. */
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

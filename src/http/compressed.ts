import { gzipSync } from 'node:zlib'
import type { TextAnswer, WholeText } from '../pages/answer.ts'
import { acceptsGzip } from './accept.ts'

/** A page that is made for one request. */
export const compressed = ({ status, text, headers }: WholeText, asked: Headers): TextAnswer => {
  const vary = { ...headers, vary: 'accept-encoding' }
  if (!acceptsGzip(asked.get('accept-encoding'))) return { status, text, headers: vary }
  return { status, text: new Uint8Array(gzipSync(text)), headers: { ...vary, 'content-encoding': 'gzip' } }
}

/** A response that is the same for every request, compressed once for clients that accept it. It contains no secrets. */
export const openCompressed = ({ status, text, headers }: WholeText) => {
  const vary = { ...headers, vary: 'accept-encoding' }
  const plain: TextAnswer = { status, text, headers: vary }
  const compress = (): TextAnswer => ({
    status,
    text: new Uint8Array(gzipSync(text, { level: 9 })),
    headers: { ...vary, 'content-encoding': 'gzip' },
  })
  let gzip: TextAnswer | undefined
  return (asked: Headers): TextAnswer => {
    if (!acceptsGzip(asked.get('accept-encoding'))) return plain
    gzip ??= compress()
    return gzip
  }
}

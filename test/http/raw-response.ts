import { connect as dial } from 'node:net'

export type RawRequest = {
  readonly url: string
  readonly path: string
  readonly bearer: string
  readonly accept?: string | undefined
  /** After the first bytes were read, and before the rest is. */
  readonly meanwhile?: (() => Promise<unknown>) | undefined
  /** The client closes the connection then, instead of reading the rest. */
  readonly leaves?: true
}

/** The bytes of a response until its connection ends, in whatever way. */
export const rawResponse = ({ url, path, bearer, accept, meanwhile, leaves }: RawRequest): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const socket = dial(Number(new URL(url).port), '127.0.0.1')
    const pieces: Buffer[] = []
    socket.on('error', () => {}).once('close', () => resolve(Buffer.concat(pieces)))
    socket.once('data', () => {
      if (!meanwhile) return
      socket.pause()
      meanwhile().then(() => (leaves ? socket.destroy() : socket.resume()), reject)
    })
    socket.on('data', piece => pieces.push(piece))
    const encoding = accept === undefined ? [] : [`Accept-Encoding: ${accept}`]
    const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${bearer}`, 'Connection: close']
    socket.write([...lines, ...encoding, '', ''].join('\r\n'))
  })

/** The end of a chunked response. */
const LAST_CHUNK = '\r\n0\r\n\r\n'

export const hasLastChunk = (bytes: Buffer): boolean =>
  bytes.subarray(-LAST_CHUNK.length).toString('latin1') === LAST_CHUNK

export const isBegun = (bytes: Buffer): boolean => bytes.subarray(0, 15).toString() === 'HTTP/1.1 200 OK'

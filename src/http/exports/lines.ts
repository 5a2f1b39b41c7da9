import { createGzip } from 'node:zlib'
import { cellsOf, columnsOf } from './columns.ts'
import { csvLine } from './csv.ts'
import type { ExportKind } from './kinds.ts'

export const formats = ['csv', 'ndjson'] as const

export type ExportFormat = (typeof formats)[number]

/** How the records of a kind become text. */
export type Lines = { readonly head: string; of(records: readonly object[]): string }

/** `bom`: a byte order mark, by which Excel recognizes UTF-8. */
export const linesOf = ({ record, secrets }: ExportKind, format: ExportFormat, bom: boolean): Lines => {
  if (format === 'ndjson') return { head: '', of: records => joined(records, each => `${JSON.stringify(each)}\n`) }
  const columns = columnsOf(record, secrets)
  const cells = cellsOf(columns)
  return {
    head: `${bom ? '\uFEFF' : ''}${csvLine(columns.map(({ name }) => name))}`,
    of: records => joined(records, each => csvLine(cells(each))),
  }
}

const joined = (records: readonly object[], lineOf: (record: object) => string): string => {
  let text = ''
  for (const record of records) text += lineOf(record)
  return text
}

const utf8 = new TextEncoder()

/** The texts as bytes. An empty text is left out. */
export async function* encoded(texts: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) if (text !== '') yield utf8.encode(text)
}

/** Compressed while they are read. If the pieces fail, so does this, and the file has no end. */
export async function* gzipped(pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Level 1: six times as fast as the default, for a quarter more bytes.
  const gzip = createGzip({ level: 1 })
  let made: Buffer[] = []
  gzip.on('data', (piece: Buffer) => made.push(piece))
  const taken = () => {
    const bytes = Buffer.concat(made)
    made = []
    return bytes
  }
  try {
    for await (const piece of pieces) {
      await new Promise<void>((resolve, reject) => gzip.write(piece, error => (error ? reject(error) : resolve())))
      if (made.length > 0) yield taken()
    }
    await new Promise(resolve => gzip.once('end', resolve).end())
    yield taken()
  } finally {
    gzip.destroy()
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from './program.ts'
import type { Memory, StreamShop } from './streams-shop.ts'

export type ReaderCounts = {
  readonly messages: number
  readonly connections: number
  readonly resets: number
  readonly lastId: string
}

/** A client process of a stream, which writes what it has received to a file. */
export type StreamReader = AsyncDisposable & {
  readonly file: string
  open(): Promise<void>
  close(): Promise<void>
  counts(): Promise<ReaderCounts>
  memory(): Promise<Memory>
}

export const startReader = async ({ url, bearer }: StreamShop, stream: string): Promise<StreamReader> => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-bench-'))
  const file = join(folder, 'messages')
  const program = await startProgram('./streams-reader-program.ts', file)
  const ask = (path: string, body?: object) =>
    fetch(`http://127.0.0.1:${program.output.trim()}${path}`, {
      method: 'POST',
      ...(body && { body: JSON.stringify(body) }),
    })
  const token = await bearer()
  const target = { url: url + stream, bearer: token }
  return {
    file,
    open: async () => void (await ask('/open', target)),
    close: async () => void (await ask('/close')),
    counts: async () => (await (await ask('/counts')).json()) as ReaderCounts,
    memory: async () => (await (await ask('/memory')).json()) as Memory,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

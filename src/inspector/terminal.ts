import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

export type Terminal = {
  /** A line of the input; empty at its end. `hidden`: what is typed is not shown. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string>
  close(): void
}

/** Questions to a person at a terminal, or lines of a pipe. */
export const openTerminal = (): Terminal => {
  let isHidden = false
  const output = new Writable({
    write: (chunk, _, done) => {
      if (!isHidden) process.stdout.write(chunk)
      done()
    },
  })
  const reader = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY })
  const lines = reader[Symbol.asyncIterator]()
  return {
    ask: async (question, { hidden = false } = {}) => {
      process.stdout.write(question)
      isHidden = hidden
      const { value } = await lines.next()
      isHidden = false
      if (hidden || !process.stdin.isTTY) process.stdout.write('\n')
      return typeof value === 'string' ? value.trim() : ''
    },
    close: () => reader.close(),
  }
}

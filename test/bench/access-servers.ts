import { startProgram } from './program.ts'

/** A process of its own that checks keys. */
export type AccessServer = AsyncDisposable & {
  /** The status of a request with the key. The bare handler gets the key too but ignores it. */
  ask(path: '/bare' | '/checked', secret: string): Promise<number>
}

export const startAccessServer = async (databaseUrl: string): Promise<AccessServer> => {
  const program = await startProgram('./access-program.ts', databaseUrl)
  const url = `http://127.0.0.1:${Number(program.output)}`
  return {
    ask: async (path, secret) => {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${secret}` } })
      await answer.arrayBuffer()
      return answer.status
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}

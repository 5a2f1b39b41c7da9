import { startProgram } from './program.ts'

/** A process of its own that serves the API, and a bare handler on another port. */
export type ServerUrls = AsyncDisposable & { readonly ours: string; readonly bare: string }

export const startApiServers = async (databaseUrl: string, merchantId: string): Promise<ServerUrls> => {
  const program = await startProgram('./api-program.ts', databaseUrl, merchantId)
  const ports = JSON.parse(program.output) as { ours: number; bare: number }
  return {
    ours: `http://127.0.0.1:${ports.ours}`,
    bare: `http://127.0.0.1:${ports.bare}`,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}

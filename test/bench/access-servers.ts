import { fileURLToPath } from 'node:url'

/** A process of its own that checks keys. */
export type AccessServer = AsyncDisposable & {
  /** The status that a key is answered with. The bare handler is sent it too and does not look. */
  ask(path: '/bare' | '/checked', secret: string): Promise<number>
}

export const startAccessServer = async (databaseUrl: string): Promise<AccessServer> => {
  const child = Bun.spawn({
    cmd: [
      process.execPath,
      '--preload',
      fileOf('../harness/end-with-parent.ts'),
      fileOf('./access-program.ts'),
      databaseUrl,
    ],
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  const url = `http://127.0.0.1:${Number(new TextDecoder().decode(value))}`
  return {
    ask: async (path, secret) => {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${secret}` } })
      await answer.arrayBuffer()
      return answer.status
    },
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

import { fileURLToPath } from 'node:url'

/** A process of its own that serves the interface, and a bare handler beside it. */
export type ApiServer = AsyncDisposable & { readonly ours: string; readonly bare: string }

export const startApiServer = async (databaseUrl: string, merchantId: string): Promise<ApiServer> => {
  const child = Bun.spawn({
    cmd: [
      process.execPath,
      '--preload',
      fileOf('../harness/end-with-parent.ts'),
      fileOf('./api-program.ts'),
      databaseUrl,
      merchantId,
    ],
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  const ports = JSON.parse(new TextDecoder().decode(value)) as { ours: number; bare: number }
  return {
    ours: `http://127.0.0.1:${ports.ours}`,
    bare: `http://127.0.0.1:${ports.bare}`,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export type DemoServer = AsyncDisposable & {
  readonly url: string
  /** The node of the sandbox chain. */
  readonly nodeUrl: string
}

/** A server of its own with an empty data folder, by the runtime of this process. The folder is removed at the end. */
export const startDemoServer = async (): Promise<DemoServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-demo-'))
  const port = await unusedPort()
  const child = spawn(process.execPath, [...runtimeArguments, fileURLToPath(new URL('../main.ts', import.meta.url))], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      WEBHOOK_ALLOW: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exited = new Promise<void>(resolve => child.once('close', () => resolve()).once('error', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  const nodeUrl = await new Promise<string>((resolve, reject) => {
    const read = (text: Buffer) => {
      output += text
      const [, url] = /Test payments are made on the chain at (\S+)/.exec(output) ?? []
      if (url !== undefined) resolve(url)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void exited.then(() => reject(new Error(`The server did not start:\n${output}`)))
  }).catch(async error => {
    await stop()
    throw error
  })
  return { url: `http://127.0.0.1:${port}`, nodeUrl, [Symbol.asyncDispose]: stop }
}

const runtimeArguments = 'Deno' in globalThis ? ['run', '--allow-all', '--quiet'] : []

const unusedPort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

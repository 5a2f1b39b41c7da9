import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A chain of its own for a test. It ends with the test process, however that ends. */
export const startAnvil = async (): Promise<AsyncDisposable & { readonly url: string }> => {
  const binary = fileURLToPath(
    new URL('../../../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url),
  )
  // The shell waits for its standard input to close.
  const script = '"$0" "$@" </dev/null & anvil=$!; read _; kill $anvil; wait $anvil'
  const child = spawn('sh', ['-c', script, binary, '--port', '0'], { stdio: ['pipe', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout)) {
    const [, port] = /^Listening on [\d.]+:(\d+)/.exec(line) ?? []
    if (port === undefined) continue
    child.stdout.resume()
    return {
      url: `http://127.0.0.1:${port}`,
      [Symbol.asyncDispose]: async () => {
        child.stdin.end()
        await once(child, 'exit')
      },
    }
  }
  throw new Error('anvil ended before it listened')
}

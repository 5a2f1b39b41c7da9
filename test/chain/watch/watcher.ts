import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TestChain } from './test-node.ts'

/** Starts a process that watches the chain until it is killed. */
export const startWatching = async (databaseUrl: string, chain: TestChain, confirmations = 3) => {
  const preload = fileURLToPath(new URL('../../harness/end-with-parent.ts', import.meta.url))
  const program = fileURLToPath(new URL('./watch-program.ts', import.meta.url))
  const given = [databaseUrl, chain.url, chain.token, String(confirmations)]
  const child = spawn(process.execPath, ['--preload', preload, program, ...given], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { kill, [Symbol.asyncDispose]: kill }
}

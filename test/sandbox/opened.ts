import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { owner, payer, sandboxContracts } from '../../src/sandbox/contracts.ts'
import { callNode } from '../../src/sandbox/node-client.ts'
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import { until } from '../harness/until.ts'

/** A sandbox that this process runs or uses, and the lines it logged for the operator. */
export type Opened = Sandbox & AsyncDisposable & { readonly logged: readonly string[] }

export const opened = async (dataDir: string, sandboxRpcUrl?: string): Promise<Opened> => {
  const logged: string[] = []
  const sandbox = await openSandbox({ sandbox: true, sandboxRpcUrl, dataDir }, { say: line => logged.push(line) })
  if (!sandbox) throw new Error(`The sandbox did not start: ${logged}`)
  return { ...sandbox, logged, [Symbol.asyncDispose]: () => sandbox.stop() }
}

/** A process that runs the sandbox of a data folder and does nothing else. It ends when its standard output closes. */
export const spawnKeeper = async (dataDir: string): Promise<ChildProcess> => {
  const script = `
    import ${JSON.stringify(import.meta.resolve('../harness/end-with-parent.ts'))}
    import { openSandbox } from ${JSON.stringify(import.meta.resolve('../../src/sandbox/sandbox.ts'))}
    const env = { sandbox: true, sandboxRpcUrl: undefined, dataDir: ${JSON.stringify(dataDir)} }
    await openSandbox(env, { say: line => console.error(line) })
    console.log('ready')`
  const child = spawn(process.execPath, ['-e', script], { cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise(resolve => child.stdout.once('data', resolve))
  return child
}

export const killed = async (child: ChildProcess) => {
  if (child.exitCode !== null) throw new Error(`The process has already ended with ${child.exitCode}`)
  child.kill('SIGKILL')
  await until(() => child.signalCode !== null)
}

/** The URL of a data folder's node, from its file. */
export const nodeOf = (dataDir: string): { readonly pid: number; readonly port: number; readonly epoch: string } =>
  JSON.parse(readFileSync(join(dataDir, 'sandbox', 'node.json'), 'utf8'))

/** Mints test dollars for the address, in a block of its own. Returns the transaction hash. */
export const mint = async (url: string, to: string, value: number): Promise<string> => {
  const data = `0x40c10f19${to.slice(2).padStart(64, '0')}${value.toString(16).padStart(64, '0')}`
  const hash = await callNode(url, 'eth_sendTransaction', { from: payer, to: sandboxContracts.token, data })
  await callNode(url, 'evm_mine')
  return String(hash)
}

export const dollarsOf = async (url: string, account: string): Promise<number> => {
  const data = `0x70a08231${account.slice(2).padStart(64, '0')}`
  return Number(await callNode(url, 'eth_call', { to: sandboxContracts.token, data }, 'latest'))
}

export const deployerNonce = async (url: string) =>
  Number(await callNode(url, 'eth_getTransactionCount', owner, 'latest'))

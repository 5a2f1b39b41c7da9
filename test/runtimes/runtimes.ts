import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { Runtime } from '../harness/main.ts'

/** The arguments for npx. Both runtimes come from npm; where they are not available, their tests are skipped. */
export const runtimes: Readonly<Record<string, readonly string[]>> = {
  'Node 24': ['-y', 'node@24'],
  'Deno 2': ['-y', 'deno@2', 'run', '--allow-all', '--quiet'],
}

/** The same without npx, which does not pass on signals and standard input; undefined where it is not available. */
export const findRuntime = async (name: string): Promise<Runtime | undefined> => {
  const { where, args } = direct[name] ?? { where: [], args: [] }
  const child = spawn('npx', ['-y', ...where], { stdio: ['ignore', 'pipe', 'ignore'] })
  child.once('error', () => {})
  const command = (await text(child.stdout)).trim()
  return command === '' ? undefined : { command, args }
}

const direct: Readonly<Record<string, { readonly where: readonly string[]; readonly args: readonly string[] }>> = {
  'Node 24': { where: ['node@24', '-p', 'process.execPath'], args: [] },
  'Deno 2': {
    where: ['deno@2', 'eval', 'console.log(Deno.execPath())'],
    args: ['run', '--allow-all', '--quiet'],
  },
}

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** `bun run recover` as an operator runs it, with a recovery file and nothing else: no database and no settings. */
export const runRecover = async (file: string, args: readonly string[], env: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  try {
    writeFileSync(join(folder, 'recovery.json'), file)
    const paths = ['harness/end-with-parent.ts', '../src/chain/recovery/main.ts'].map(path =>
      fileURLToPath(new URL(`../../${path}`, import.meta.url)),
    )
    const child = spawn(process.execPath, ['--preload', ...paths, 'recovery.json', ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const exited = new Promise<number | null>(resolve => child.on('close', resolve))
    const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { exit: await exited, printed, said }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

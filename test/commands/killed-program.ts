import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Sql } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'

/** Starts a program of this folder, which prints a line for each answer. `killAfter`: killed after so many lines. */
export const startProgram = (name: string, given: readonly string[], killAfter = Number.POSITIVE_INFINITY) => {
  const preload = fileURLToPath(new URL('../harness/end-with-parent.ts', import.meta.url))
  const program = fileURLToPath(new URL(name, import.meta.url))
  const child = spawn(process.execPath, ['--preload', preload, program, ...given], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answered: string[] = []
  createInterface({ input: child.stdout }).on('line', line => {
    if (answered.push(line) >= killAfter) child.kill('SIGKILL')
  })
  const exited = once(child, 'exit')
  return {
    answered,
    exited,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Of a program that was killed: Postgres would finish its statements. */
export const endSessions = ({ sql }: { readonly sql: Sql }, name: string) =>
  until(async () => {
    const ended = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = ${name}`
    return ended.length === 0
  })

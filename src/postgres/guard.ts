import { type ChildProcess, spawn } from 'node:child_process'
import { identity, type OsAccount } from '../process/account.ts'
import { environment } from './cluster.ts'

/** A program that ends when this process does, however that ends. */
export type ProcessGuard = {
  /** The program's own number; undefined when there is none. */
  readonly pid: Promise<number | undefined>
  /** Settled when the program has ended, whoever ended it. */
  readonly exited: Promise<void>
}

export type GuardOptions = {
  readonly command: readonly string[]
  readonly account: OsAccount
  /** The file its output goes to. */
  readonly log: number
  readonly signal: 'INT' | 'QUIT'
  /** A folder that is removed once the program was ended this way. */
  readonly removing: string | undefined
}

/**
 * Runs the program under a shell whose standard input is a pipe from us. It closes when we are killed,
 * and then the program is told to end; it would otherwise live on. The shell takes no notice of
 * signals, and has a session of its own: Ctrl-C in a terminal is for us.
 */
export const openProcessGuard = ({ command, account, log, signal, removing = '' }: GuardOptions): ProcessGuard => {
  const child = spawn('/bin/sh', ['-c', script, removing, signal, ...command], {
    ...identity(account),
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', log],
  })
  child.on('error', () => {})
  child.stdin?.on('error', () => {})
  child.unref()
  guards.add(child)
  const exited = new Promise<void>(resolve => {
    child.on('error', () => resolve())
    child.on('exit', () => {
      guards.delete(child)
      resolve()
    })
  })
  const pid = new Promise<number | undefined>(resolve => {
    child.stdout?.once('data', (line: Buffer) => {
      child.stdout?.destroy()
      resolve(Number(line))
    })
    void exited.then(() => resolve(undefined))
  })
  return { pid, exited }
}

// What stands still hears nothing before it goes on, and what was just started may hear nothing yet: it is told again.
const script = `
signal=$1; shift
trap : TERM INT HUP
trap orphaned=1 USR1
exec 3<&0
"$@" </dev/null >&2 3<&- &
program=$!
(
  trap '' TERM INT HUP
  read -r nothing <&3
  kill -USR1 $$
  while kill -$signal $program; do kill -CONT $program; sleep 1; done
) >/dev/null 2>&1 &
reader=$!
exec 3<&-
echo $program
# A signal ends the wait, not the program.
while kill -0 $program 2>/dev/null; do wait $program; done
kill -KILL $reader 2>/dev/null
[ "$orphaned" ] && [ "$0" ] && rm -rf "$0"`

/** Kept from the garbage collector, which would close the pipes. */
const guards = new Set<ChildProcess>()

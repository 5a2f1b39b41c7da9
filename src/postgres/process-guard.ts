import { type ChildProcess, spawn } from 'node:child_process'
import { identity, type OsAccount } from '../process/account.ts'
import { environment } from './cluster.ts'

/** A child program that is ended when this process ends, also after kill -9. */
export type ProcessGuard = {
  /** The pid of the program; undefined if it did not start. */
  readonly pid: Promise<number | undefined>
  /** Settles when the program has ended for any reason. */
  readonly exited: Promise<void>
}

export type GuardOptions = {
  readonly command: readonly string[]
  readonly account: OsAccount
  /** The file descriptor for its output. */
  readonly log: number
  readonly signal: 'INT' | 'QUIT'
  /** A folder that is removed after the program was ended because this process had ended. */
  readonly removing: string | undefined
}

/**
 * Runs the program under a shell whose standard input is a pipe from this process. When this process ends or is killed,
 * the pipe closes and the shell sends the signal to the program, which would keep running otherwise. The shell ignores
 * signals and has its own session, so that Ctrl-C in a terminal reaches this process only.
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

// The signal is repeated: a stopped program handles it after SIGCONT only, and a program that is starting may miss it.
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

/** References that protect the children from the garbage collector, which would close the pipes. */
const guards = new Set<ChildProcess>()

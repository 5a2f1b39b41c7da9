import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync, type Options, verifySync } from '@node-rs/argon2'

/** What a hasher is asked: for a hash, or whether a password is the one of a hash. */
export type HashTask =
  | { readonly password: string; readonly options: Options }
  | { readonly password: string; readonly known: string }

export type HashAnswer = { readonly hash: string } | { readonly right: boolean } | { readonly fault: string }

/**
 * The thread that hashes, in small steps behind everything else: a flood of sign-ins then takes what
 * processor time nobody else wants. Linux alone gives threads a priority of their own.
 */
const stepBack = () => {
  if (process.platform !== 'linux') return
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
}

const answer = (task: HashTask): HashAnswer => {
  try {
    if ('options' in task) return { hash: hashSync(task.password, task.options) }
    return { right: verifySync(task.known, task.password) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'failed' }
  }
}

try {
  stepBack()
} catch {
  // Without /proc, or where that is forbidden, it hashes all the same.
}

parentPort?.on('message', (task: HashTask | 'end') => {
  // The thread alone. On Deno its port cannot be closed.
  if (task === 'end') process.exit(0)
  else parentPort?.postMessage(answer(task))
})

import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync, type Options, verifySync } from '@node-rs/argon2'

/** To hash a password, or to compare a password with a hash. */
export type HashTask =
  | { readonly password: string; readonly options: Options }
  | { readonly password: string; readonly known: string }

export type HashAnswer = { readonly hash: string } | { readonly right: boolean } | { readonly fault: string }

/**
 * Gives this thread a low priority, so that many sign-ins at once only use processor time that is not needed otherwise.
 * Only Linux has priorities per thread.
 */
const lowerPriority = () => {
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
  lowerPriority()
} catch {
  // Without /proc, or without the permission, the thread hashes at normal priority.
}

parentPort?.on('message', (task: HashTask | 'end') => {
  // Ends only this thread. Closing the port instead does not work on Deno.
  if (task === 'end') process.exit(0)
  else parentPort?.postMessage(answer(task))
})

import { Worker } from 'node:worker_threads'
import type { HashAnswer, HashTask } from './hasher.ts'

/**
 * Worker threads that hash passwords. A thread is started for each parallel task, and ends after it was idle for a
 * while.
 */
export type Hashers = (task: HashTask) => Promise<HashAnswer>

export const openHashers = ({ idleMs = 10_000 } = {}): Hashers => {
  const idle = new Map<Worker, NodeJS.Timeout>()

  const take = (): Worker => {
    for (const [worker, timer] of idle) {
      clearTimeout(timer)
      idle.delete(worker)
      return worker
    }
    return new Worker(new URL('hasher.ts', import.meta.url))
  }
  const giveBack = (worker: Worker) => {
    // An idle thread does not keep the process running.
    worker.unref()
    const end = () => {
      idle.delete(worker)
      worker.postMessage('end')
    }
    idle.set(worker, setTimeout(end, idleMs).unref())
  }

  return async task => {
    const worker = take()
    worker.ref()
    const answer = await ask(worker, task)
    giveBack(worker)
    return answer
  }
}

/** If the thread fails, the promise rejects and the thread is not used again. */
const ask = (worker: Worker, task: HashTask): Promise<HashAnswer> => {
  const { promise, resolve, reject } = Promise.withResolvers<HashAnswer>()
  const ended = () => reject(new Error('cannot hash a password: its thread has ended'))
  worker.once('message', resolve).once('error', reject).once('exit', ended)
  worker.postMessage(task)
  return promise.finally(() => worker.off('message', resolve).off('error', reject).off('exit', ended))
}

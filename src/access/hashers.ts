import { Worker } from 'node:worker_threads'
import type { HashAnswer, HashTask } from './hasher.ts'

/** Threads that hash. There are as many as are asked at once, and none once nobody has asked for a while. */
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
    // Nobody is kept from ending by a thread that waits for work.
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

/** A thread that fails is not given back. */
const ask = (worker: Worker, task: HashTask): Promise<HashAnswer> => {
  const { promise, resolve, reject } = Promise.withResolvers<HashAnswer>()
  const ended = () => reject(new Error('cannot hash a password: its thread has ended'))
  worker.once('message', resolve).once('error', reject).once('exit', ended)
  worker.postMessage(task)
  return promise.finally(() => worker.off('message', resolve).off('error', reject).off('exit', ended))
}

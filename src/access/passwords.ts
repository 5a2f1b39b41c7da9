import { availableParallelism } from 'node:os'
import { openFairQueue } from './fair-queue.ts'
import type { HashTask } from './hasher.ts'
import { openHashers } from './hashers.ts'

/**
 * Hashes and verifies passwords, a few in parallel: each takes 19 MiB and a core for about 20 ms. `caller` is the
 * network that the request comes from. Networks are served in turn.
 */
export type Passwords = {
  hash(caller: string, password: string): Promise<string>
  /**
   * Without a hash it takes as long as with one and returns false, so that the time does not reveal whether one exists.
   */
  verify(caller: string, password: string, hash: string | undefined): Promise<boolean>
  /**
   * Runs the database check of whether an attempt is allowed. Only a few run in parallel: attempts on one account wait
   * for each other in the database, and many of them must not occupy all connections.
   */
  admit<T>(caller: string, check: () => Promise<T>): Promise<T>
}

/** argon2id with the parameters of OWASP's cheat sheet. Each hash contains them, so that they can be raised later. */
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash of no known password. */
const DUMMY_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'AAAA'.repeat(5)}AA$${'AAAA'.repeat(10)}AAA`

export const openPasswords = ({ atOnce = halfTheCores(), waiting = 300 } = {}): Passwords => {
  const take = openFairQueue({ atOnce, waiting, waitMs: 10_000 })
  const admit = openFairQueue({ atOnce: 2, waiting: 2_000, waitMs: 10_000 })
  const hashers = openHashers()
  const run = async (caller: string, task: HashTask) => {
    const answer = await take(caller, () => hashers(task))
    if ('fault' in answer) throw new Error(`cannot hash or check a password: ${answer.fault}`)
    return answer
  }
  return {
    hash: async (caller, password) => {
      const answer = await run(caller, { password: normalized(password), options })
      return 'hash' in answer ? answer.hash : ''
    },
    verify: async (caller, password, known = DUMMY_HASH) => {
      const answer = await run(caller, { password: normalized(password), known })
      return 'right' in answer && answer.right
    },
    admit,
  }
}

/** Many sign-ins at once use at most half of the cores. Eight hashes in parallel take 150 MiB. */
const halfTheCores = () => Math.min(8, Math.max(1, Math.floor(availableParallelism() / 2)))

/** Keyboards encode the same characters in different ways. */
const normalized = (password: string): string => password.normalize('NFKC')

import { availableParallelism } from 'node:os'
import { openFairQueue } from './fair-queue.ts'
import type { HashTask } from './hasher.ts'
import { openHashers } from './hashers.ts'

/**
 * Hashes and checks passwords, a few at a time: each takes 19 MiB and a core for some 20 ms. `caller` is the network
 * that the request comes from: networks are served in turn.
 */
export type Passwords = {
  hash(caller: string, password: string): Promise<string>
  /** Without a hash to compare with, takes as long as with one and answers false. */
  verify(caller: string, password: string, hash: string | undefined): Promise<boolean>
  /**
   * Looks at whether there may be a check at all. A few at a time, since those who try one account
   * wait for each other in the database, and a flood of them is not to hold every connection.
   */
  admit<T>(caller: string, look: () => Promise<T>): Promise<T>
}

/** argon2id as OWASP's cheat sheet asks for it. The hash carries them, so that they can be raised later. */
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash of no password that anybody knows. */
const nobodys = `$argon2id$v=19$m=19456,t=2,p=1$${'AAAA'.repeat(5)}AA$${'AAAA'.repeat(10)}AAA`

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
      const answer = await run(caller, { password: plain(password), options })
      return 'hash' in answer ? answer.hash : ''
    },
    verify: async (caller, password, known = nobodys) => {
      const answer = await run(caller, { password: plain(password), known })
      return 'right' in answer && answer.right
    },
    admit,
  }
}

/** A flood of sign-ins leaves the other half to everybody else, and eight take 150 MiB. */
const halfTheCores = () => Math.min(8, Math.max(1, Math.floor(availableParallelism() / 2)))

/** Keyboards spell the same characters in different ways. */
const plain = (password: string): string => password.normalize('NFKC')

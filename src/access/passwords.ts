import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { openTurns } from './turns.ts'

/** Hashes and checks passwords, a few at a time: each takes 19 MiB and a core for some 20 ms. */
export type Passwords = {
  hash(password: string): Promise<string>
  /** Without a hash to compare with, takes as long as with one and answers false. */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

/** argon2id as OWASP's cheat sheet asks for it. The hash carries them, so that they can be raised later. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash of no password that anybody knows. */
const nobodys = `$argon2id$v=19$m=19456,t=2,p=1$${'AAAA'.repeat(5)}AA$${'AAAA'.repeat(10)}AAA`

export const openPasswords = ({ atOnce = Math.max(1, Math.floor(availableParallelism() / 2)) } = {}): Passwords => {
  // Half the cores, so that a flood of sign-ins leaves the other half to everybody else.
  const take = openTurns({ atOnce, waiting: 300, waitMs: 10_000 })
  return {
    hash: password => take(() => hash(plain(password), parameters)),
    verify: (password, known) => take(() => verify(known ?? nobodys, plain(password))),
  }
}

/** Keyboards spell the same characters in different ways. */
const plain = (password: string): string => password.normalize('NFKC')

import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { openPasswords } from '../../src/access/passwords.ts'

const password = 'correct horse battery'

test('a password is hashed by argon2id with 19 MiB, two passes and its own salt', async () => {
  const passwords = openPasswords()
  const [one, two] = await Promise.all([passwords.hash('one', password), passwords.hash('one', password)])
  for (const hash of [one, two]) {
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(await passwords.verify('one', password, hash)).toBe(true)
    expect(await passwords.verify('one', `${password} `, hash)).toBe(false)
  }
  expect(one).not.toBe(two)
})

test('without a hash every password is wrong', async () => {
  const passwords = openPasswords()
  for (const text of ['', '\0', password]) expect(await passwords.verify('one', text, undefined)).toBe(false)
})

test('different encodings of the same password are equal', async () => {
  const passwords = openPasswords()
  expect(await passwords.verify('one', 'cafe\u0301 au lait', await passwords.hash('one', 'caf\u00e9 au lait'))).toBe(
    true,
  )
})

test('a hash that cannot be read is an error, not a wrong password, and the next password is checked', async () => {
  const passwords = openPasswords({ atOnce: 1 })
  await expect(passwords.verify('one', password, 'no hash')).rejects.toThrow('cannot hash or check a password')
  expect(await passwords.verify('one', password, await passwords.hash('one', password))).toBe(true)
})

test('when the queue is full, requests are refused with Retry-After', async () => {
  const passwords = openPasswords({ atOnce: 2, waiting: 3 })
  const floods = await Promise.allSettled(
    Array.from({ length: 14 }, () => passwords.verify('one', password, undefined)),
  )
  const refused = floods.filter(one => one.status === 'rejected')
  expect(refused).toHaveLength(9)
  for (const { reason } of refused)
    expect(reason).toMatchObject({ code: 'service_unavailable', because: { retryAfter: 5 } })
})

test('a process that has hashed ends when it has nothing else to do', () => {
  const script = `
    import { openPasswords } from ${module('../../src/access/passwords.ts')}
    await openPasswords().hash('one', 'correct horse battery')`
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { timeout: 8_000, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})

test.if(process.platform === 'linux')('threads that were not used for a while are stopped', () => {
  // Counted by name: the runtime starts and stops threads of its own.
  const script = `
    import { readdirSync, readFileSync } from 'node:fs'
    import { openHashers } from ${module('../../src/access/hashers.ts')}
    import { until } from ${module('../harness/until.ts')}
    const name = thread => {
      try {
        return readFileSync('/proc/self/task/' + thread + '/comm', 'utf8').trim()
      } catch {
        return 'ended in the meantime'
      }
    }
    const workers = () => readdirSync('/proc/self/task').filter(thread => name(thread) === 'Worker').length
    const hashers = openHashers({ idleMs: 100 })
    const task = { password: 'x', options: { memoryCost: 19_456, timeCost: 2, parallelism: 1 } }
    const answers = Promise.all([hashers(task), hashers(task), hashers(task)])
    await until(() => workers() > 0)
    await answers
    await until(() => workers() === 0)
    console.log('hash' in (await hashers(task)))`
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { timeout: 15_000, encoding: 'utf8' })
  expect([stdout, stderr]).toEqual(['true\n', ''])
})

const module = (path: string) => JSON.stringify(import.meta.resolve(path))

import { expect, test } from 'bun:test'
import { limitConcurrency, resolveBy } from '../../src/webhooks/resolve.ts'
import { openResolver } from '../../src/webhooks/resolver.ts'
import { nameServer } from './name-server.ts'

test('all addresses of a name are found, IPv4 first', async () => {
  using server = await nameServer({
    'both.example': { a: ['93.184.216.34', '93.184.216.35'], aaaa: ['2606:4700:0:0:0:0:0:1111'] },
    'old.example': { a: ['93.184.216.34'] },
    'new.example': { aaaa: ['2606:4700:0:0:0:0:0:1111'] },
  })
  const resolve = resolveBy([server.at])
  const both = await resolve('both.example')
  expect(both.toSorted()).toEqual(['2606:4700::1111', '93.184.216.34', '93.184.216.35'])
  expect(both.at(-1)).toBe('2606:4700::1111')
  expect(await resolve('old.example')).toEqual(['93.184.216.34'])
  expect(await resolve('new.example')).toEqual(['2606:4700::1111'])
})

test('names that DNS does not know are looked up in the hosts file', async () => {
  using server = await nameServer({})
  expect(await resolveBy([server.at])('localhost')).toContain('127.0.0.1')
  expect(server.asked.toSorted()).toEqual(['localhost 1', 'localhost 28'])
})

test('a name server that is silent about IPv6 does not block a lookup, and a silent one is given up', async () => {
  using server = await nameServer({
    'half.example': { a: ['93.184.216.34'], aaaa: 'silent' },
    'dead.example': { a: 'silent', aaaa: 'silent' },
  })
  const resolve = resolveBy([server.at])
  const [half, dead] = await Promise.allSettled([resolve('half.example'), resolve('dead.example')])
  expect(half).toEqual({ status: 'fulfilled', value: ['93.184.216.34'] })
  expect(dead.status).toBe('rejected')
})

/** Lookups end when the test says so. */
const byHand = () => {
  const open = new Map<string, { resolveNow(addresses: readonly string[]): void; fail(): void }>()
  const asked: string[] = []
  const resolve = (name: string) =>
    new Promise<readonly string[]>((resolveNow, fail) => {
      asked.push(name)
      open.set(name, { resolveNow, fail: () => fail(new Error('no answer')) })
    })
  return { resolve, asked, open }
}

test('a name is looked up once a second, however many requests need it, and failures are not cached', async () => {
  const { resolve, asked, open } = byHand()
  let time = 0
  const resolver = openResolver(resolve, { now: () => time })
  expect(resolver.known('a.example')).toBeUndefined()
  const first = [resolver.find('a.example'), resolver.find('a.example')]
  time = 400
  open.get('a.example')?.resolveNow(['93.184.216.34'])
  expect(await Promise.all(first)).toEqual([['93.184.216.34'], ['93.184.216.34']])
  time = 1_399
  expect(resolver.known('a.example')).toEqual(['93.184.216.34'])
  time = 1_400
  expect(resolver.known('a.example')).toBeUndefined()
  const second = resolver.find('a.example')
  open.get('a.example')?.fail()
  await expect(second).rejects.toThrow()
  const third = resolver.find('a.example')
  open.get('a.example')?.resolveNow(['93.184.216.35'])
  expect(await third).toEqual(['93.184.216.35'])
  expect(asked.length).toBe(3)
})

test('a lookup that never ends is given up', async () => {
  const resolver = openResolver(() => new Promise(() => {}), { timeoutMs: 20 })
  await expect(resolver.find('dead.example')).rejects.toThrow()
})

test('a thousand unresolvable names block neither known nor new names', async () => {
  const { resolve, asked, open } = byHand()
  let time = 0
  const resolver = openResolver(resolve, { now: () => time })
  const dead = Array.from({ length: 1_000 }, (_, i) => `dead${i}.example`)
  const live = resolver.find('live.example')
  open.get('live.example')?.resolveNow(['93.184.216.34'])
  await live
  time = 2_000

  // None of them is known yet: the known name goes first.
  const failed = dead.map(name => resolver.find(name).catch(() => 'failed'))
  const again = resolver.find('live.example')
  open.get('live.example')?.resolveNow(['93.184.216.34'])
  expect(await again).toEqual(['93.184.216.34'])
  expect(asked.length).toBeLessThan(300)
  while (open.size > 0) {
    for (const [name, { fail }] of open) {
      open.delete(name)
      fail()
    }
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(new Set(await Promise.all(failed))).toEqual(new Set(['failed']))

  // Now they have failed: a new name goes first too.
  for (const name of dead) resolver.find(name).catch(() => {})
  const fresh = resolver.find('fresh.example')
  open.get('fresh.example')?.resolveNow(['93.184.216.34'])
  expect(await fresh).toEqual(['93.184.216.34'])
})

test('waiting lookups start in order, and a failed one frees its slot', async () => {
  const { resolve, asked, open } = byHand()
  const inOrder = limitConcurrency(2, resolve)
  const all = ['a', 'b', 'c', 'd'].map(name => inOrder(name).catch(() => 'failed'))
  expect(asked).toEqual(['a', 'b'])
  open.get('b')?.fail()
  await all[1]
  await new Promise(resolve => setImmediate(resolve))
  expect(asked).toEqual(['a', 'b', 'c'])
  for (const name of ['a', 'c']) open.get(name)?.resolveNow([])
  await Promise.all([all[0], all[2]])
  await new Promise(resolve => setImmediate(resolve))
  open.get('d')?.resolveNow([])
  await all[3]
  expect(asked).toEqual(['a', 'b', 'c', 'd'])
})

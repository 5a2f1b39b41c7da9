import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf, randomOf } from '../harness/random.ts'
import { type Caller, openCaller } from './caller.ts'
import { findBroken } from './checks.ts'
import { faults } from './faults.ts'
import { openScene, type Scene } from './scene.ts'
import { customers, openShop } from './shop.ts'

export type ChaosOptions = {
  /** Chooses what goes wrong, and when, and what customers do. */
  readonly seed: number
  readonly seconds: number
  readonly say: (line: string) => void
  /** Ends it before its time, and whatever it has begun. */
  readonly signal?: AbortSignal
}

const INSTANCES = 2
const CUSTOMERS = 6

/**
 * A shop sells, customers pay and get refunds, and one thing after the other goes wrong with the processes, the
 * database, the chain and the merchant's server. At the end nothing does any more, and what was promised is looked for.
 * Answers what was not kept.
 */
export const chaos = async ({ signal, ...options }: ChaosOptions): Promise<readonly string[]> => {
  await using scene = await openScene({ instances: INSTANCES })
  const interrupted = new Promise<never>((_, reject) =>
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
  return await Promise.race([play(scene, options), interrupted])
}

const play = async (scene: Scene, { seed, seconds, say }: Omit<ChaosOptions, 'signal'>): Promise<readonly string[]> => {
  let over = false
  const isOver = () => over
  // Each has chances of its own: how long an answer takes does not change what goes wrong.
  const caller = openCaller(scene, randomOf(seed + 1), isOver)
  const shop = await openShop(caller, scene)
  const shopping = Array.from({ length: CUSTOMERS }, (_, n) =>
    customers(caller, { shop, name: `${seed} ${n}`, random: randomOf(seed + 100 + n), isOver }),
  )
  // One that fails ends it for all, and is told of at the end.
  const all = Promise.all(shopping)
  all.catch(() => {
    over = true
  })

  try {
    await goWrong(scene, { random: randomOf(seed), seconds, isOver, say, caller })
  } finally {
    over = true
    // Nobody goes on asking once this has failed.
    await all.catch(() => {})
  }
  const stories = (await all).flat()
  const { asked, again } = caller.counts()
  say(`${stories.length} customers, ${asked} requests, ${again} of them again; waiting until all of it is at rest`)
  await Promise.all(scene.instances.map(instance => instance.ready()))
  const broken = [...scene.stopped, ...(await findBroken(scene, caller, stories))]
  for (const instance of scene.instances) await instance.stop().catch(error => broken.push(String(error)))
  for (const [line, times] of complaints(scene.instances.flatMap(instance => instance.lines())))
    say(`${times} × ${line}`)
  return broken
}

type Course = {
  readonly random: () => number
  readonly seconds: number
  readonly isOver: () => boolean
  readonly say: (line: string) => void
  readonly caller: Caller
}

const goWrong = async (scene: Scene, { random, seconds, isOver, say, caller }: Course): Promise<void> => {
  const ends = performance.now() + seconds * 1_000
  while (performance.now() < ends && !isOver()) {
    await sleep(random() * 1_500)
    const { name, happen } = oneOf(faults, random)
    const { asked, again } = caller.counts()
    say(`${Math.round((ends - performance.now()) / 1_000)} s to go, ${asked - again} requests answered: ${name}`)
    await happen(scene, random)
  }
}

type Cause = { readonly message: string } | undefined

/** What the log calls an error, by its words. */
const complaints = (lines: readonly string[]): ReadonlyMap<string, number> => {
  const counted = new Map<string, number>()
  for (const line of lines) {
    if (!/"level":(50|60)|"level":"(error|fatal)"/.test(line)) continue
    const words = wordsOf(line)
    counted.set(words, (counted.get(words) ?? 0) + 1)
  }
  return counted
}

/** A process that is killed has not finished its last line. */
const wordsOf = (line: string): string => {
  try {
    const { msg, err, fault } = JSON.parse(line) as Record<'err' | 'fault', Cause> & { readonly msg: string }
    return `${msg}: ${(err ?? fault)?.message}`
  } catch {
    return 'a line that broke off'
  }
}

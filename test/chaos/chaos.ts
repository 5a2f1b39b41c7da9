import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf, randomOf } from '../harness/random.ts'
import { type Caller, openCaller } from './caller.ts'
import { findBroken } from './checks.ts'
import { faults } from './faults.ts'
import { openScene, type Scene } from './scene.ts'
import { customers, openShop } from './shop.ts'

export type ChaosOptions = {
  /** Chooses the faults, their times, and the actions of the customers. */
  readonly seed: number
  readonly seconds: number
  readonly print: (line: string) => void
  /** Ends the run early, with everything it has started. */
  readonly signal?: AbortSignal
}

const INSTANCES = 2
const CUSTOMERS = 6

/**
 * A shop sells, customers pay and get refunds, while faults hit the processes, the database, the chain and the
 * merchant's server one after the other. When the faults have ended, all promises of the service are checked.
 * Returns the broken ones.
 */
export const chaos = async ({ signal, ...options }: ChaosOptions): Promise<readonly string[]> => {
  await using scene = await openScene({ instances: INSTANCES })
  const interrupted = new Promise<never>((_, reject) =>
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
  return await Promise.race([run(scene, options), interrupted])
}

const run = async (
  scene: Scene,
  { seed, seconds, print }: Omit<ChaosOptions, 'signal'>,
): Promise<readonly string[]> => {
  let over = false
  const isOver = () => over
  // Each customer has its own random numbers, so response times do not change the faults.
  const caller = openCaller(scene, randomOf(seed + 1), isOver)
  const shop = await openShop(caller, scene)
  const shopping = Array.from({ length: CUSTOMERS }, (_, n) =>
    customers(caller, { shop, name: `${seed} ${n}`, random: randomOf(seed + 100 + n), isOver }),
  )
  // An error of one customer ends the run and is thrown at its end.
  const all = Promise.all(shopping)
  all.catch(() => {
    over = true
  })

  try {
    await injectFaults(scene, { random: randomOf(seed), seconds, isOver, print, caller })
  } finally {
    over = true
    // Customers stop even when the faults have thrown.
    await all.catch(() => {})
  }
  const stories = (await all).flat()
  const { requests, repeated } = caller.counts()
  print(
    `${stories.length} customers, ${requests} requests, ${repeated} of them repeated; waiting until nothing changes any more`,
  )
  await Promise.all(scene.instances.map(instance => instance.ready()))
  const broken = [...scene.stopped, ...(await findBroken(scene, caller, stories))]
  for (const instance of scene.instances) await instance.stop().catch(error => broken.push(String(error)))
  for (const [line, times] of errorLines(scene.instances.flatMap(instance => instance.lines())))
    print(`${times} × ${line}`)
  return broken
}

type FaultOptions = {
  readonly random: () => number
  readonly seconds: number
  readonly isOver: () => boolean
  readonly print: (line: string) => void
  readonly caller: Caller
}

const injectFaults = async (scene: Scene, { random, seconds, isOver, print, caller }: FaultOptions): Promise<void> => {
  const endsAt = performance.now() + seconds * 1_000
  while (performance.now() < endsAt && !isOver()) {
    await sleep(random() * 1_500)
    const { name, inject } = oneOf(faults, random)
    const { requests, repeated } = caller.counts()
    print(
      `${Math.round((endsAt - performance.now()) / 1_000)} s to go, ${requests - repeated} requests answered: ${name}`,
    )
    await inject(scene, random)
  }
}

type Cause = { readonly message: string } | undefined

/** The error lines of the log, by their message. */
const errorLines = (lines: readonly string[]): ReadonlyMap<string, number> => {
  const counted = new Map<string, number>()
  for (const line of lines) {
    if (!/"level":(50|60)|"level":"(error|fatal)"/.test(line)) continue
    const text = messageOf(line)
    counted.set(text, (counted.get(text) ?? 0) + 1)
  }
  return counted
}

/** The last line of a killed process may be incomplete. */
const messageOf = (line: string): string => {
  try {
    const { msg, err, fault } = JSON.parse(line) as Record<'err' | 'fault', Cause> & { readonly msg: string }
    return `${msg}: ${(err ?? fault)?.message}`
  } catch {
    return 'an incomplete line'
  }
}

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openPasswords } from '../../src/access/passwords.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { startMain } from '../harness/main.ts'
import { password, signedUp } from '../http/visitor.ts'

/** Accounts `person0@…` and so on, all with the same password, which is hashed once. */
export const insertPeople = (sql: Sql, count: number, hash: string) =>
  sql`select create_account(gen_random_uuid(), 'person' || n || '@lamps.example', ${hash}) from generate_series(0, ${count - 1}) n`

/**
 * The p99 of another route of a server while 200 people sign in, against its p99 while nothing happens, in each round. The
 * machine may be busy with other work: it ends when a ratio is `enough`.
 */
export const floodedRatios = async (
  { url, sql }: { readonly url: string; readonly sql: Sql },
  { rounds, enough }: { readonly rounds: number; readonly enough: number },
): Promise<readonly number[]> => {
  await using main = await startMain({
    ...{ DATABASE_URL: url, SECRET_KEY, ROLE: 'api', SIGN_UP: 'open', TRUSTED_PROXIES: '127.0.0.1' },
  })
  const browser = await signedUp(main)
  await insertPeople(sql, rounds * PEOPLE, await openPasswords().hash('tests', password))
  const watch = (meanwhile: () => Promise<unknown>) => watchRoute(main.url, browser.bearer, meanwhile)
  const ratios: number[] = []
  for (let round = 0; round < rounds && !ratios.some(ratio => ratio <= enough); round++) {
    const idle = await watch(() => sleep(3_000))
    const flooded = await watch(async () => {
      const { signedIn, refused } = await flood(main.url, round * PEOPLE, PEOPLE)
      if (signedIn + refused !== PEOPLE || signedIn <= PEOPLE / 4)
        throw new Error(`of ${PEOPLE} sign-ins ${signedIn} were answered and ${refused} refused`)
    })
    ratios.push(p99(flooded) / p99(idle))
  }
  return ratios
}

const PEOPLE = 200

/** In a process of its own, so that the other requests do not wait for it. */
const flood = async (
  url: string,
  first: number,
  count: number,
): Promise<{ readonly signedIn: number; readonly refused: number }> => {
  const file = fileURLToPath(import.meta.resolve('./flood.ts'))
  const child = spawn(process.execPath, [file, url, `${first}`, `${count}`], { stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(await text(child.stdout))
}

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(0.99 * times.length)] ?? Number.NaN

/** The durations of requests during other work: four callers, each with a pause after each response. */
const watchRoute = async (url: string, bearer: string | undefined, meanwhile: () => Promise<unknown>) => {
  const times: number[] = []
  let over = false
  const caller = async () => {
    while (!over) {
      const began = performance.now()
      await (await fetch(`${url}/v1/auth/me`, { headers: { authorization: `Bearer ${bearer}` } })).text()
      times.push(performance.now() - began)
      await sleep(5)
    }
  }
  const callers = Array.from({ length: 4 }, caller)
  // Also after an error: no caller may go on using a stopped server.
  await meanwhile().finally(() => {
    over = true
    return Promise.all(callers)
  })
  return times
}

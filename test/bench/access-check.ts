import { connect } from '../../src/postgres/connect.ts'
import { insertKey } from '../access/keys.ts'
import type { AccessSizes } from './access.ts'
import { type AccessServer, startAccessServer } from './access-servers.ts'
import type { Bench } from './bench.ts'
import { costOf, inTurns } from './callers.ts'
import { bestOf, median, microseconds, times } from './promises.ts'
import { createMigrated } from './server.ts'

/** The cost of a request with this many callers, and what the check adds: the median of many short pairs. */
type Round = { readonly bareUs: number; readonly checkedUs: number; readonly ratio: number }

/** A handler with one select, served without a check and with a key. */
export const promiseCheck = async ({ server, print, report }: Bench, sizes: AccessSizes): Promise<void> => {
  await using db = await createMigrated(server)
  const sql = connect(db.url, { max: 2 })
  const { secret } = await insertKey(sql)
  const unusedKeys = await Promise.all(Array.from({ length: sizes.coldKeys }, () => insertKey(sql)))
  await sql.end({ timeout: 1 })
  await using checking = await startAccessServer(db.url)
  await measureRound(checking, secret, 32, { ...sizes, pairs: 2 })

  for (const callers of [1, 32]) {
    const rounds: Round[] = []
    for (let n = 1; n <= sizes.rounds; n++) {
      const round = await measureRound(checking, secret, callers, sizes)
      print(`round ${n} of ${sizes.rounds}, callers ${callers}: ${format(round)}, ${times(round.ratio)}`)
      rounds.push(round)
    }
    const best = bestOf(rounds, round => round.ratio, 'lower')
    report.atMost(`a checked key against a bare handler with one select, callers ${callers}`, best.ratio, 1.15, {
      as: times,
      from: format(best),
    })
  }
  print(`for information, keys that are not cached yet: ${await measureCold(checking, unusedKeys)}`)
}

const format = ({ bareUs, checkedUs }: Round) => `${microseconds(checkedUs)} against ${microseconds(bareUs)}`

const measureRound = async (
  checking: AccessServer,
  secret: string,
  callers: number,
  { pairs, sliceMs }: Pick<AccessSizes, 'pairs' | 'sliceMs'>,
): Promise<Round> => {
  const cost = (path: '/bare' | '/checked') =>
    costOf(callers, sliceMs, async () => {
      if ((await checking.ask(path, secret)) !== 200) throw new Error('a valid key was refused')
    })
  const costs = await inTurns(
    pairs,
    () => cost('/bare'),
    () => cost('/checked'),
  )
  return {
    bareUs: median(costs.map(([bare]) => bare)),
    checkedUs: median(costs.map(([, checked]) => checked)),
    ratio: median(costs.map(([bare, checked]) => checked / bare)),
  }
}

const measureCold = async (checking: AccessServer, keys: readonly { readonly secret: string }[]): Promise<string> => {
  const began = performance.now()
  for (const { secret } of keys)
    if ((await checking.ask('/checked', secret)) !== 200) throw new Error('a valid key was refused')
  return `${microseconds(((performance.now() - began) * 1_000) / keys.length)} with one caller`
}

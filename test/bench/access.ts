import { connect } from '../../src/postgres/connect.ts'
import { floodedRatios } from '../access/flooded.ts'
import { promiseCheck } from './access-check.ts'
import { promiseRevocation } from './access-revoke.ts'
import { type Bench, printSizes } from './bench.ts'
import { times } from './promises.ts'
import { createMigrated } from './server.ts'

export type AccessSizes = {
  readonly rounds: number
  /** Number and length of the short measurements, bare and checked alternately. */
  readonly pairs: number
  readonly sliceMs: number
  readonly coldKeys: number
  readonly revoked: number
  readonly processes: number
  /** Rounds of many simultaneous sign-ins. */
  readonly floods: number
}

const whole: AccessSizes = { rounds: 3, pairs: 40, sliceMs: 200, coldKeys: 2_000, revoked: 20, processes: 3, floods: 3 }

const quick: AccessSizes = { ...whole, rounds: 1, pairs: 20, sliceMs: 100, coldKeys: 500, revoked: 5, floods: 1 }

/** What checking a key costs, how long a revoked key is still accepted, and what many sign-ins do to other callers. */
export const access = (bench: Bench): Promise<void> => measureAccess(bench, bench.quick ? quick : whole)

export const measureAccess = async (bench: Bench, sizes: AccessSizes): Promise<void> => {
  printSizes(bench, sizes)
  await promiseCheck(bench, sizes)
  await promiseRevocation(bench, sizes)
  if (sizes.floods > 0) await promiseFlood(bench, sizes)
}

const promiseFlood = async ({ server, report }: Bench, { floods }: AccessSizes): Promise<void> => {
  await using db = await createMigrated(server)
  const sql = connect(db.url, { max: 1 })
  const ratios = await floodedRatios({ url: db.url, sql }, { rounds: floods, enough: 2 })
  await sql.end({ timeout: 1 })
  report.atMost('the p99 of another route while 200 people sign in, against alone', Math.min(...ratios), 2, {
    as: times,
  })
}

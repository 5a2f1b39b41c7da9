import { promiseCheck } from './access-check.ts'
import { promiseRevocation } from './access-revoke.ts'
import { type Bench, printSizes } from './bench.ts'

export type AccessSizes = {
  readonly rounds: number
  /** Number and length of the short measurements, bare and checked alternately. */
  readonly pairs: number
  readonly sliceMs: number
  readonly coldKeys: number
  readonly revoked: number
  readonly processes: number
}

const whole: AccessSizes = { rounds: 3, pairs: 40, sliceMs: 200, coldKeys: 2_000, revoked: 20, processes: 3 }

const quick: AccessSizes = { ...whole, rounds: 1, pairs: 20, sliceMs: 100, coldKeys: 500, revoked: 5 }

/** What checking a key costs, and how long a revoked key is still accepted. */
export const access = (bench: Bench): Promise<void> => measureAccess(bench, bench.quick ? quick : whole)

export const measureAccess = async (bench: Bench, sizes: AccessSizes): Promise<void> => {
  printSizes(bench, sizes)
  await promiseCheck(bench, sizes)
  await promiseRevocation(bench, sizes)
}

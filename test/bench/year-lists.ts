import { openCalls } from '../../src/demo/call.ts'
import { connect } from '../../src/postgres/connect.ts'
import { insertKey } from '../access/keys.ts'
import type { BenchOutput } from './bench.ts'
import { inTurns } from './callers.ts'
import { median, milliseconds, thousands, times } from './promises.ts'
import { OWNER } from './web-shop.ts'
import { callsOf, findRecords, type YearCall } from './year-calls.ts'
import type { YearService } from './year-service.ts'

/** A running service with this many payments, and the merchant whose lists are read. */
export type YearSide = {
  readonly payments: number
  readonly url: string
  readonly service: YearService
  readonly merchantId: string
}

export type YearListSizes = {
  /** How often each list is read before it is measured. */
  readonly warmUps: number
  /** How often each list is read; the median counts. */
  readonly turns: number
  /** How often a list is read again that was slow. */
  readonly slowTurns: number
}

/**
 * A difference that is noise: the answers take one to five milliseconds, and the garbage collector, another process or a plan
 * that is made anew adds as much.
 */
const NOISE_MS = 2
const BOUND = 1.5

type Compared = { readonly what: string; readonly manyMs: number; readonly fewMs: number; readonly ratio: number }

/** Every list, read, filter and search of the API document. */
export const promiseYearLists = async (
  { print, report }: BenchOutput,
  { many, few, sizes }: { readonly many: YearSide; readonly few: YearSide; readonly sizes: YearListSizes },
): Promise<void> => {
  const [ofMany, ofFew] = [await openReads(many), await openReads(few)]
  const compared = new Map<string, Compared[]>()
  for (const [n, call] of ofMany.calls.entries()) {
    const other = ofFew.calls[n]
    if (!other) throw new Error(`there is no call ${call.what} of the other`)
    const compare = async (pairs: number): Promise<Compared> => {
      const costs = await inTurns(
        pairs,
        () => ofMany.read(call),
        () => ofFew.read(other),
      )
      const [manyMs, fewMs] = [median(costs.map(([one]) => one)), median(costs.map(([, one]) => one))]
      return { what: call.what, manyMs, fewMs, ratio: manyMs / fewMs }
    }
    // The first answers have plans to make and pages to read. What is slow then is measured again, longer.
    await compare(sizes.warmUps)
    const once = await compare(sizes.turns)
    const cost = isSlow(once) ? await compare(sizes.slowTurns) : once
    if (isSlow(cost)) print(`slow: ${call.group}: ${formatted(cost)}`)
    compared.set(call.group, [...(compared.get(call.group) ?? []), cost])
  }
  for (const [group, all] of compared) {
    const slow = all.filter(isSlow)
    const worst = (slow.length > 0 ? slow : all).reduce((worst, one) => (one.ratio > worst.ratio ? one : worst))
    report.judge(
      `${group} with ${thousands(many.payments)} payments against ${thousands(few.payments)}, ${all.length} reads`,
      slow.length === 0,
      `${slow.length} slow; worst ${formatted(worst)}`,
      `≤ ${BOUND.toFixed(2)} × or + ${NOISE_MS} ms`,
    )
  }
}

const isSlow = ({ manyMs, fewMs, ratio }: Compared): boolean => ratio > BOUND && manyMs - fewMs > NOISE_MS

const formatted = ({ what, manyMs, fewMs, ratio }: Compared): string =>
  `${times(ratio)}, ${milliseconds(manyMs)} against ${milliseconds(fewMs)}, ${what}`

const openReads = async ({ url, service, merchantId }: YearSide) => {
  const sql = connect(url, { max: 1 })
  const records = await findRecords(sql, merchantId)
  const { secret } = await insertKey(sql, { merchantId })
  await sql.end({ timeout: 1 })
  const signedIn = await openCalls(service.url)('POST', '/v1/auth/sign-in', { ...OWNER })
  const bearers = { key: secret, owner: signedIn.text('accessToken') }
  return {
    calls: callsOf(records),
    read: async ({ path, as }: YearCall): Promise<number> => {
      const began = performance.now()
      const answer = await fetch(service.url + path, { headers: { authorization: `Bearer ${bearers[as]}` } })
      const text = await answer.text()
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`)
      return performance.now() - began
    },
  }
}

import { connect } from '../../src/postgres/connect.ts'
import { insertKey } from '../access/keys.ts'
import type { BenchOutput } from './bench.ts'
import { median, milliseconds, perSecond, thousands } from './promises.ts'
import type { YearSide } from './year-lists.ts'

const PAGE = 100
/** Events that are compared with the rows at a time. */
const COMPARED = 50_000

/** All events of a merchant by pages, from the first to the last, compared with the rows one by one. */
export const promiseWalk = async (
  { print, report }: BenchOutput,
  { url, service, merchantId, payments }: YearSide,
): Promise<void> => {
  const sql = connect(url, { max: 2 })
  try {
    const { secret } = await insertKey(sql, { merchantId })
    const began = performance.now()
    const took: number[] = []
    let after: string | undefined
    let [read, wrong] = [0, 0]
    let printedAt = began
    let expected: string[] = []
    let seq = '0'
    for (let more = true; more; ) {
      const asked = performance.now()
      const answer = await fetch(
        `${service.url}/v1/events?order=asc&limit=${PAGE}${after === undefined ? '' : `&startingAfter=${after}`}`,
        { headers: { authorization: `Bearer ${secret}` } },
      )
      if (answer.status !== 200) throw new Error(`a page of events answered ${answer.status}: ${await answer.text()}`)
      const page = (await answer.json()) as {
        readonly data: readonly { readonly id: string }[]
        readonly has_more: boolean
      }
      took.push(performance.now() - asked)
      while (expected.length < page.data.length) {
        const rows = await sql<{ id: string; seq: string }[]>`
          select id, seq from events where merchant_id = ${merchantId} and not livemode and seq > ${seq} order by seq limit ${COMPARED}`
        if (rows.length === 0) break
        seq = rows.at(-1)?.seq ?? seq
        expected = [...expected, ...rows.map(({ id }) => id)]
      }
      wrong += page.data.filter(({ id }, at) => id !== expected[at]).length
      expected = expected.slice(page.data.length)
      read += page.data.length
      after = page.data.at(-1)?.id ?? after
      more = page.has_more
      if (performance.now() - printedAt < 30_000) continue
      printedAt = performance.now()
      print(`${thousands(read)} events walked`)
    }
    const seconds = (performance.now() - began) / 1_000
    const [rows] = await sql<{ count: number }[]>`
      select count(*)::float8 as count from events where merchant_id = ${merchantId} and not livemode`
    const last = took.slice(-Math.ceil(took.length / 10))
    const first = took.slice(0, Math.ceil(took.length / 10))
    report.judge(
      `a walk of all events of ${thousands(payments)} payments by pages of ${PAGE}`,
      wrong === 0 && read === rows?.count,
      `${thousands(read)} of ${thousands(rows?.count ?? Number.NaN)} events, ${wrong} at another place, ${perSecond(read / seconds)}; ` +
        `a page ${milliseconds(median(first))} in the first tenth, ${milliseconds(median(last))} in the last`,
      'each event once, in order',
    )
  } finally {
    await sql.end({ timeout: 1 })
  }
}

import { encodeId } from '../../src/ids.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { insertKey, insertMerchant } from '../access/keys.ts'
import type { ApiSizes } from './api.ts'
import { type ServerUrls, startApiServers } from './api-servers.ts'
import type { Bench } from './bench.ts'
import { costOf, inTurns } from './callers.ts'
import { bestOf, median, microseconds, times } from './promises.ts'
import { createMigrated } from './server.ts'

/** The cost of a request with this many callers, and how many of ours are done in the time of one bare request: the median of many short pairs. */
type Round = { readonly bareUs: number; readonly oursUs: number; readonly ratio: number }

/** Reading a payment with a key, compared with a bare handler with the same select. */
export const promiseReads = async ({ server, print, report }: Bench, sizes: ApiSizes): Promise<void> => {
  await using db = await createMigrated(server)
  const sql = connect(db.url, { max: 2 })
  const merchantId = await insertMerchant(sql)
  const { secret } = await insertKey(sql, { merchantId })
  const ids = await insertPayments(sql, merchantId, sizes.payments)
  await sql.end({ timeout: 1 })
  await using servers = await startApiServers(db.url, merchantId)
  const reading = { servers, secret, ids }
  await check(reading)
  // Until the code is compiled.
  await measureRound(reading, 32, { ...sizes, pairs: 8 })

  for (const callers of [32, 1]) {
    const rounds: Round[] = []
    for (let n = 1; n <= sizes.rounds; n++) {
      const round = await measureRound(reading, callers, sizes)
      print(`reads, round ${n} of ${sizes.rounds}, callers ${callers}: ${format(round)}, ${times(round.ratio)}`)
      rounds.push(round)
    }
    const best = bestOf(rounds, round => round.ratio, 'higher')
    const promise = `a payment read with a key against a bare handler with the same select, callers ${callers}`
    report.atLeast(promise, best.ratio, 0.8, { as: times, from: format(best) })
  }
}

const format = ({ bareUs, oursUs }: Round) => `${microseconds(oursUs)} against ${microseconds(bareUs)}`

type Reading = { readonly servers: ServerUrls; readonly secret: string; readonly ids: readonly string[] }

const ask = async ({ servers, secret, ids }: Reading, which: 'bare' | 'ours'): Promise<string> => {
  const id = ids[Math.floor(Math.random() * ids.length)] ?? ''
  const path = which === 'bare' ? `/payments/${id}` : `/v1/payments/${id}`
  // The bare handler gets the key too but ignores it.
  const answer = await fetch(servers[which] + path, { headers: { authorization: `Bearer ${secret}` } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`a read has the status ${answer.status}`)
  return text
}

/** Both must return the payment; otherwise the comparison means nothing. */
const check = async (reading: Reading): Promise<void> => {
  const bare = JSON.parse(await ask(reading, 'bare')) as { customer_email?: string }
  const ours = JSON.parse(await ask(reading, 'ours')) as { customerEmail?: string; crypto?: { txHash?: string } }
  if (!bare.customer_email || !ours.customerEmail || !ours.crypto?.txHash)
    throw new Error('a payment is missing in a response')
}

const measureRound = async (
  reading: Reading,
  callers: number,
  { pairs, sliceMs }: Pick<ApiSizes, 'pairs' | 'sliceMs'>,
): Promise<Round> => {
  const cost = (which: 'bare' | 'ours') => costOf(callers, sliceMs, () => ask(reading, which))
  const costs = await inTurns(
    pairs,
    () => cost('bare'),
    () => cost('ours'),
  )
  return {
    bareUs: median(costs.map(([bare]) => bare)),
    oursUs: median(costs.map(([, ours]) => ours)),
    ratio: median(costs.map(([bare, ours]) => bare / ours)),
  }
}

/** Succeeded payments, with the rows that the machine leaves. */
const insertPayments = async (sql: Sql, merchantId: string, count: number): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
    insert into payments (
      id, state, rev, version, created_at, updated_at, merchant_id, livemode, api_version, payment_link_id,
      amount_minor, currency, customer_email, customer_name, reference, metadata, tolerance_bps, late_policy, expires_at,
      chain_id, asset, token_address, decimals, address, amount_expected, confirmations_required, pegged, scan,
      amount_received, amount_final, received_minor, payer_address, tx_hash, block_number,
      final_strays, window_lengthened, announced, collection_unexplained, attention, refunds_reserved_minor, amount_refunded_minor)
    select gen_random_uuid(), 'success', 4, 1, now(), now(), ${merchantId}, false, '2026-11-20', gen_random_uuid(),
      4900, 'EUR', 'ada@example.com', 'Ada Example', 'order ' || n, '{"shelf": "B"}', 0, 'accept_stablecoins', now(),
      31337, 'TUSD', '0x' || repeat('a', 40), 6, '0x' || lpad(to_hex(n), 40, '0'), 49000000, 3, true, 9,
      49000000, 49000000, 4900, '0x' || repeat('c', 40), '0x' || repeat('7', 64), 1000 + n,
      0, false, '[]', false, false, 0, 0
    from generate_series(1, ${count}) n
    returning id`
  await sql`
    insert into transfers (
      chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, token_address, from_address,
      to_address, amount, state)
    select chain_id, '0x' || encode(sha256(address::bytea), 'hex'), 3, block_number, tx_hash, now(), id, token_address,
      payer_address, address, amount_received, 'final'
    from payments`
  await sql`
    insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step)
    values (31337, 1_000_000, '0x' || repeat('8', 64), now(), 1_000_000, 1)`
  await sql`vacuum (analyze) payments, transfers, chain_cursors`
  return rows.map(({ id }) => encodeId('pay', id))
}

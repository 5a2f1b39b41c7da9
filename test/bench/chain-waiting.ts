import { finalizeNext } from '../../src/chain/watch/finalize.ts'
import { readNext } from '../../src/chain/watch/read.ts'
import { settlePayments } from '../../src/chain/watch/settle.ts'
import { endWindows } from '../../src/chain/watch/windows.ts'
import type { Bench } from './bench.ts'
import type { ChainSizes } from './chain.ts'
import { type ChainInstance, openChainInstance } from './chain-instance.ts'
import { addressOf, openBenchNode } from './chain-node.ts'
import { bestOf, median, milliseconds, thousands, times } from './promises.ts'

/** Milliseconds per block, the median of many. */
type Round = { readonly few: number; readonly many: number }

/** The cost of a block without our payments must not depend on the number of waiting payments. */
export const promiseWaiting = async ({ server, print, report }: Bench, sizes: ChainSizes): Promise<void> => {
  await using node = await openBenchNode()
  await using few = await openChainInstance(server, node, 3)
  await using many = await openChainInstance(server, node, 3)
  await insertWaiting(few, sizes.fewWaiting)
  await insertWaiting(many, sizes.waiting)
  let mined = 0
  const mine = async () => {
    mined++
    await node.pay(
      Array.from({ length: sizes.strangers }, (_, n) => addressOf('stranger', mined, n)),
      1_000n,
    )
    await node.mine()
  }
  const rounds: Round[] = []
  // The first round warms up.
  for (let n = 0; n <= sizes.rounds; n++) {
    const costs = { few: [] as number[], many: [] as number[] }
    for (let block = 0; block < sizes.watchedBlocks; block++) {
      await mine()
      // In turns, since the second one meets a node that has answered the same calls already.
      const order = block % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const)
      for (const which of order) costs[which].push(await turn(which === 'few' ? few : many))
    }
    const round = { few: median(costs.few), many: median(costs.many) }
    if (n === 0) continue
    print(`waiting, round ${n} of ${sizes.rounds}: ${format(round)}, ${times(round.many / round.few)}`)
    rounds.push(round)
  }
  const best = bestOf(rounds, round => round.many / round.few, 'lower')
  report.atMost(
    `a block with ${sizes.strangers} transfers to strangers, ${thousands(sizes.waiting)} payments waiting against ${sizes.fewWaiting}`,
    best.many / best.few,
    1.3,
    { as: times, from: format(best) },
  )
}

const format = ({ few, many }: Round) => `${milliseconds(many)} against ${milliseconds(few)}`

/** All the work of one poll that finds one block. */
export const turn = async ({
  world,
  chain,
  source,
}: Pick<ChainInstance, 'world' | 'chain' | 'source'>): Promise<number> => {
  const began = performance.now()
  while ((await readNext(world.sql, chain, source)) !== 'idle') await settlePayments(world)
  await endWindows(world, chain.id)
  await finalizeNext(world.sql, chain, source)
  await settlePayments(world)
  return performance.now() - began
}

/** Payments with an address, with the rows that the machine leaves. */
const insertWaiting = async ({ world: { sql }, chain, merchantId }: ChainInstance, count: number): Promise<void> => {
  await sql`
    insert into payments (
      id, state, rev, version, created_at, updated_at, merchant_id, livemode, api_version, payment_link_id,
      amount_minor, currency, customer_email, customer_name, reference, metadata, tolerance_bps, late_policy, expires_at,
      chain_id, asset, token_address, decimals, address, amount_expected, confirmations_required, pegged, scan,
      amount_received, amount_final, received_minor,
      final_strays, window_lengthened, announced, collection_unexplained, attention, refunds_reserved_minor, amount_refunded_minor)
    select gen_random_uuid(), 'pending', 2, 1, now(), now(), ${merchantId}, false, '2026-11-20', gen_random_uuid(),
      4900, 'EUR', 'ada@example.com', 'Ada Example', 'order ' || n, '{"shelf": "B"}', 0, 'accept_stablecoins',
      now() + interval '7 days', ${chain.id}, 'TUSD', ${chain.tokens[0] ?? ''}, 6,
      '0x' || substr(encode(sha256(('waiting ' || n)::bytea), 'hex'), 1, 40), 49000000, 3, true, 0,
      0, 0, 0, 0, false, '[]', false, false, 0, 0
    from generate_series(1, ${count}) n`
  await sql`
    insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter)
    select address, id, merchant_id, ${addressOf('treasury')}, row_number() over () from payments`
  await sql`vacuum (analyze) payments, deposit_addresses`
}

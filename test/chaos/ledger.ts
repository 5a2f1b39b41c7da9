import { encodeId } from '../../src/ids.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { callNode } from '../../src/sandbox/node-client.ts'
import { dollarsOf } from '../sandbox/opened.ts'
import type { Scene } from './scene.ts'

type Deposit = {
  readonly address: string
  readonly payment: string
  readonly state: string
  readonly token: string | null
  readonly received: string
  readonly final: string
  /** By transfers that are final. */
  readonly tokens: string
  readonly nativeRecorded: string
}

/**
 * Compares what is recorded for each address with its balance on the chain; nothing is collected here. Native currency
 * that was not requested may be found much later, but never exceeds the balance.
 */
export const differFromChain = async ({ sql, chain }: Scene): Promise<readonly string[]> => {
  const deposits = await sql<Deposit[]>`
    select d.address, p.id as payment, p.state, p.token_address as token, p.amount_received as received,
      p.amount_final as final,
      coalesce(sum(t.amount) filter (where t.token_address = ${sandboxContracts.token}), 0) as tokens,
      coalesce(sum(t.amount) filter (where t.token_address is null), 0) as "nativeRecorded"
    from deposit_addresses d
    join payments p on p.id = d.payment_id and p.chain_id is not null
    left join transfers t on t.to_address = d.address and t.state = 'final'
    group by d.address, p.id`
  const differing = await Promise.all(
    deposits.map(async ({ address, payment, state, token, received, final, tokens, nativeRecorded }) => {
      const dollars = await dollarsOf(chain.url, address)
      const native = BigInt(String(await callNode(chain.url, 'eth_getBalance', address, 'latest')))
      const held = token === null ? native : BigInt(dollars)
      const isRecorded =
        BigInt(tokens) === BigInt(dollars) &&
        (token === null ? BigInt(nativeRecorded) === native : BigInt(nativeRecorded) <= native)
      if (isRecorded && BigInt(final) === held && BigInt(received) === held) return []
      return [
        `${encodeId('pay', payment)} (${state}) has received ${received}, final ${final}; its transfers are ` +
          `${tokens} tokens and ${nativeRecorded} in native currency; on the chain there are ${dollars} and ${native}`,
      ]
    }),
  )
  return differing.flat()
}

type Finalized = {
  readonly payment: string
  readonly event: string
  readonly at: Date
  readonly block: string
  readonly confirmations: number
}

/** Money was counted as final before the chain had as many confirmations as the payment requires. */
export const finalTooEarly = async ({ sql, heads }: Scene): Promise<readonly string[]> => {
  const finalized = await sql<Finalized[]>`
    select p.id as payment, h.event, h.at, p.block_number as block, p.confirmations_required as confirmations
    from transitions h join payments p on p.id = h.actor
    where h.kind = 'payment' and h.event in ('finalized', 'late_accepted') and p.block_number is not null`
  return finalized.flatMap(({ payment, event, at, block, confirmations }) => {
    // The processes use the clock of the database.
    const head = heads.atMost(new Date(at.getTime() + CLOCKS_MS))
    const needed = Number(block) + confirmations - 1
    return head !== undefined && head < needed
      ? [`${encodeId('pay', payment)}: ${event} when the chain was at ${head}, below ${needed}`]
      : []
  })
}

const CLOCKS_MS = 100

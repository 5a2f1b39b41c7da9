import { afterEach, expect } from 'bun:test'
import { getAddress } from 'viem/utils'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { cancelRefund } from '../../../src/commands/refunds.ts'
import type { Log } from '../../../src/log.ts'
import { through } from '../watch/node.ts'
import { decide, houseOfFile } from './refund-house.ts'

/** A house of a file whose merchant is paid at a treasury, which may send what nobody tells the house of. */
export const noticingHouse = async () => {
  const { house, on } = await houseOfFile()
  const { sql, api } = house
  const [, treasury = '', stranger = ''] = await on.chain.rpc<string[]>('eth_accounts')
  const isPaidAtTreasury = async (merchantId: string) => {
    const of = { merchant_id: merchantId, livemode: false }
    await sql`insert into merchant_settings ${sql(of)}`
    await sql`insert into receiving_addresses ${sql({ ...of, address: getAddress(treasury) })}`
  }
  await isPaidAtTreasury(on.merchantId)

  const look = async ({ log = api.log, urls = [] }: { log?: Log; urls?: readonly string[] } = {}) => {
    await sql`update noticed_transfers set next_look_at = now()`
    await decide({ ...house, api: { ...api, log } }, on.chainOf(...urls))
  }
  const cancel = ({ id, context: { merchantId, livemode } }: Actor<Refund>) =>
    cancelRefund(api, { id, merchantId, livemode }, 'test')
  /** Once to be processed, and once more with that known. */
  const settle = async () => {
    await on.bury()
    await look()
    await look()
  }
  // What a test leaves waits for nothing and is noticed no more, so that nothing else fits what the next one sends.
  afterEach(async () => {
    await settle()
    for (const { id } of await sql<{ id: string }[]>`select id from refunds where state = 'requires_signature'`)
      await cancel(await on.find(id))
    await settle()
    expect(await sql`select from noticed_transfers`).toHaveLength(0)
    await sql`delete from refund_destinations where until is not null`
  })

  return {
    ...{ house, on, treasury, stranger, isPaidAtTreasury, look, cancel, settle },
    /** In a block, and noticed there. */
    seen: async () => {
      await on.chain.mine()
      await on.read()
      await look()
    },
    /** In a block, which is read from a node that has the treasury send what the stranger sent. */
    seenByLiar: async () => {
      await on.chain.mine()
      const topicOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
      await using lying = await through(on.chain.url, ({ method }, answer) => {
        if (method !== 'eth_getLogs') return answer
        return JSON.parse(JSON.stringify(answer).replaceAll(topicOf(stranger), topicOf(treasury)))
      })
      await on.read(on.sourceOf(lying.url))
    },
    /** Of payments in coins none is waited for, so that blocks are read in full for refunds alone. */
    settlePayments: () => sql`update payments set updated_at = now() - interval '2 hours'`,
  }
}

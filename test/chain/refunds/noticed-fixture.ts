import { afterEach, expect } from 'bun:test'
import { getAddress } from 'viem/utils'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { cancelRefund } from '../../../src/commands/refunds.ts'
import type { Log } from '../../../src/log.ts'
import { changedNode } from '../watch/test-node.ts'
import { decide, openRefundFixtureOfFile } from './refund-fixture.ts'

/** A fixture whose merchant has a treasury. The treasury sends transfers that no client announces. */
export const openNoticedFixture = async () => {
  const { server, fixture } = await openRefundFixtureOfFile()
  const { sql, api } = server
  const [, treasury = '', stranger = ''] = await fixture.chain.rpc<string[]>('eth_accounts')
  const isPaidAtTreasury = async (merchantId: string) => {
    const of = { merchant_id: merchantId, livemode: false }
    await sql`insert into merchant_settings ${sql(of)}`
    await sql`insert into receiving_addresses ${sql({ ...of, address: getAddress(treasury) })}`
  }
  await isPaidAtTreasury(fixture.merchantId)

  const check = async ({ log = api.log, urls = [] }: { log?: Log; urls?: readonly string[] } = {}) => {
    await sql`update noticed_transfers set next_look_at = now()`
    await decide({ ...server, api: { ...api, log } }, fixture.chainOf(...urls))
  }
  const cancel = ({ id, context: { merchantId, livemode } }: Actor<Refund>) =>
    cancelRefund(api, { id, merchantId, livemode }, 'test')
  /** Checks twice: the second check uses the outcome of the first. */
  const settle = async () => {
    await fixture.finalizeAll()
    await check()
    await check()
  }
  // After each test nothing is waiting or noticed, so that the transfers of the next test match no earlier refund.
  afterEach(async () => {
    await settle()
    for (const { id } of await sql<{ id: string }[]>`select id from refunds where state = 'requires_signature'`)
      await cancel(await fixture.find(id))
    await settle()
    expect(await sql`select from noticed_transfers`).toHaveLength(0)
    await sql`delete from refund_destinations where until is not null`
  })

  return {
    ...{ server, fixture, treasury, stranger, isPaidAtTreasury, check, cancel, settle },
    /** Mines a block, reads it and checks the transfers noticed in it. */
    mineAndCheck: async () => {
      await fixture.chain.mine()
      await fixture.read()
      await check()
    },
    /** Mines a block and reads it from a node that reports the stranger's transfers as sent by the treasury. */
    readFromWrongNode: async () => {
      await fixture.chain.mine()
      const topicOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
      await using wrong = await changedNode(fixture.chain.url, ({ method }, answer) => {
        if (method !== 'eth_getLogs') return answer
        return JSON.parse(JSON.stringify(answer).replaceAll(topicOf(stranger), topicOf(treasury)))
      })
      await fixture.read(fixture.sourceOf(wrong.url))
    },
    /** Makes all payments in native currency old, so that full blocks are read for refunds only. */
    settlePayments: () => sql`update payments set updated_at = now() - interval '2 hours'`,
  }
}

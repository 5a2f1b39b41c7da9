import { expect, test } from 'bun:test'
import { logDueRefundAttention } from '../../src/chain/refunds/attention-log.ts'
import { encodeId } from '../../src/ids.ts'
import { readBacklog } from '../../src/queries/backlog.ts'
import { noFilter } from '../../src/queries/list-filters.ts'
import { listRefunds } from '../../src/queries/refunds.ts'
import { readableLog } from '../harness/lines.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()
const { sql, sign } = instance

const chainsOn = [31337]
const page = { after: undefined, limit: 100, order: 'asc' } as const

/** The refunds that need attention for the merchant, and the lines logged now. */
const look = async (merchantId: string) => {
  const { log, lines } = readableLog()
  await logDueRefundAttention({ sql, log }, chainsOn)
  const filter = { ...noFilter, paymentId: undefined, attention: { chainsOn } }
  const listed = await listRefunds(sql, { merchantId, livemode: false }, filter, page)
  expect((await readBacklog(sql, chainsOn)).refundsWithAttention).toBe(listed.length)
  return { listed: listed.map(({ id }) => id), told: lines().map(({ refund, why }) => [refund, why]) }
}
const none = { listed: [], told: [] }
const aDayLater = () =>
  sql`update signing_waits set begun_at = begun_at - interval '1 day', since = since - interval '1 day'`

const refused = async () => {
  const { merchantId } = await instance.newSigner()
  const [refund] = await instance.refunds(merchantId, 1, { native: true })
  if (!refund) throw new Error('the refund is missing')
  await instance.node.call('anvil_setCode', refund.destination, '0x5f5ffd')
  await sign(refund.id)
  return { merchantId, ...refund }
}

test('a refund that the signer cannot sign for a day needs attention, whatever the latest reason', async () => {
  const { id, merchantId, destination } = await refused()
  expect(await instance.waitOf(id)).toBe('refused')
  expect(await look(merchantId)).toEqual(none)
  await aDayLater()
  expect(await look(merchantId)).toEqual({ listed: [id], told: [[encodeId('re', id), 'refused']] })
  expect(await look(merchantId)).toEqual({ listed: [id], told: [] })

  const key = await sql<
    { sealed: string }[]
  >`select sealed_key as sealed from refund_signers where merchant_id = ${merchantId}`
  await sql`update refund_signers set sealed_key = 'v1.gone.x' where merchant_id = ${merchantId}`
  await instance.tendNow()
  expect(await look(merchantId)).toEqual({ listed: [id], told: [[encodeId('re', id), 'unreadable_key']] })
  await sql`update refund_signers set sealed_key = ${key[0]?.sealed ?? ''} where merchant_id = ${merchantId}`
  await instance.node.call('anvil_setCode', destination, '0x')
  await instance.tendNow()
  expect((await instance.refund(id)).state).toBe('processing')
  expect(await look(merchantId)).toEqual(none)
})

test.each([
  [
    'signed by hand',
    (of: string) => sql`update merchant_settings set refund_mode = 'manual' where merchant_id = ${of}`,
  ],
  ['left by its removed signer', (of: string) => sql`select remove_refund_signer(${of}, 31337, 'operator')`],
])('a refund that the signer could not sign for a day needs no attention once it is %s', async (_, change) => {
  const { merchantId } = await refused()
  await aDayLater()
  expect((await look(merchantId)).listed).toHaveLength(1)
  await change(merchantId)
  expect(await look(merchantId)).toEqual(none)
})

test('a refund signed a day ago and not mined needs attention until it is mined', async () => {
  const { merchantId } = await instance.newSigner()
  const [refund] = await instance.refunds(merchantId, 1)
  const id = refund?.id ?? ''
  await sign(id)
  expect(await look(merchantId)).toEqual(none)
  await sql`update signer_nonces set created_at = created_at - interval '1 day' where refund_id = ${id}`
  expect(await look(merchantId)).toEqual({ listed: [id], told: [[encodeId('re', id), 'not_mined']] })
  await instance.finalize()
  await instance.tend()
  expect(await look(merchantId)).toEqual(none)
})

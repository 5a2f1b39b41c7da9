import { expect, test } from 'bun:test'
import { isNativeAwaited } from '../../src/chain/watch/native/transfers.ts'
import { cancelRefund } from '../../src/commands/refunds.ts'
import { claimRefunds } from '../../src/queries/refund-transactions.ts'
import { listUnsigned } from '../../src/queries/signing.ts'
import { plansOf, waysTo } from '../harness/plans.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()
const { sql, sign } = instance

const isAwaited = (by = sql) => isNativeAwaited(by, 31337)
const nobodyPays = () => sql`update payments set updated_at = now() - interval '1 day'`

test('full blocks are read while a refund in native currency is signed by hand, and not for refunds of a signer', async () => {
  const signer = await instance.newSigner()
  const { id: signerId, merchantId } = signer
  const [first, second] = await instance.refunds(merchantId, 2, { native: true })
  await instance.refunds(instance.merchantId, 1)
  if (!first || !second) throw new Error('the refunds are missing')
  await nobodyPays()
  expect(await isAwaited()).toBe(false)

  await sql`select wait_to_sign(${first.id}, ${signerId}, 'no_gas')`
  expect(await isAwaited()).toBe(false)
  await sql`select wait_to_sign(${first.id}, ${signerId}, 'over_day_limit')`
  expect(await isAwaited()).toBe(true)
  await sign(second.id)
  await sql`delete from signing_waits where refund_id = ${first.id}`
  expect(await isAwaited()).toBe(false)
  // Of the next merchant in any order of ids.
  const others = [await instance.newSigner(), await instance.newSigner()]
  for (const other of others) await instance.refunds(other.merchantId, 1, { native: true })
  await nobodyPays()
  expect(await isAwaited()).toBe(false)
  for (const { merchantId: of } of others) {
    await sql`update merchant_settings set refund_mode = 'manual' where merchant_id = ${of}`
    expect(await isAwaited()).toBe(true)
    await sql`update merchant_settings set refund_mode = 'signer' where merchant_id = ${of}`
    await sql`delete from signing_waits where refund_id in (select id from refunds where merchant_id = ${of})`
    expect(await isAwaited()).toBe(false)
  }

  await sql`delete from pg_statistic where starelid in ('refunds'::regclass, 'signing_waits'::regclass)`
  const plans = await plansOf(instance.databaseUrl, async by => expect(await isAwaited(by)).toBe(false))
  expect(waysTo('refunds', plans)).toEqual(['refunds_pkey', 'refunds_unsigned_in_native'])
  expect(waysTo('signing_waits', plans)).toEqual(['signing_waits_in_native'])
})

test('a few due refunds among many are found by their keys', async () => {
  const { merchantId } = await instance.newSigner()
  const [refund] = await instance.refunds(merchantId, 1)
  await sign(refund?.id ?? '')
  await sql`
    insert into refund_looks (refund_id, chain_id, tx_hash, next_look_at)
    select gen_random_uuid(), 31337, ${`0x${'7'.repeat(64)}`}, now() + interval '1 hour' from generate_series(1, 300)`
  await sql`delete from pg_statistic where starelid in ('refunds'::regclass, 'refund_looks'::regclass)`
  await sql`
    update refund_looks set next_look_at = now() + case when refund_id = ${refund?.id ?? ''} then '0 s' else '1 hour' end::interval`
  const claim = async (by: typeof sql) =>
    expect((await claimRefunds(by, { chainId: 31337, finalTo: 100 }, 20)).map(each => each.refund.id)).toEqual([
      refund?.id ?? '',
    ])
  const plans = await plansOf(instance.databaseUrl, claim)
  expect(waysTo('refunds', plans)).toEqual(['refunds_pkey'])
  expect(plans).toContain('refund_looks_pkey')
  await sql`delete from refund_looks where tx_hash = ${`0x${'7'.repeat(64)}`}`
})

test('refunds to sign are found by signer, untried ones first, however many wait', async () => {
  const { merchantId, id: signerId } = await instance.newSigner()
  const other = await instance.newSigner()
  const [tried, untried, later] = await instance.refunds(merchantId, 3)
  const [byHand] = await instance.refunds(other.merchantId, 1)
  await sql`update merchant_settings set refund_mode = 'manual' where merchant_id = ${other.merchantId}`
  await sql`select wait_to_sign(${tried?.id ?? ''}, ${signerId}, 'no_gas'), wait_to_sign(${later?.id ?? ''}, ${signerId}, 'no_gas')`
  await sql`update signing_waits set next_try_at = now() where refund_id = ${tried?.id ?? ''}`
  await sql`delete from pg_statistic where starelid in ('refunds'::regclass, 'signing_waits'::regclass)`
  const plans = await plansOf(instance.databaseUrl, async by => {
    const all = await listUnsigned(by, { chainId: 31337, isSandbox: false, untouchedMs: 0 }, 50)
    const ours = [tried, untried, later, byHand].map(each => each?.id ?? '')
    expect(all.filter(id => ours.includes(id))).toEqual([untried?.id ?? '', tried?.id ?? ''])
  })
  expect(plans).toContain('signing_waits_due')
  expect(plans).not.toMatch(/(Hash|Merge|Seq) (Join|Anti Join|Scan on (refunds|signing_waits))/)
})

test('full blocks are read for a while after a refund left for signing by hand is canceled', async () => {
  const { id: signerId, merchantId } = await instance.newSigner()
  const [refund] = await instance.refunds(merchantId, 1, { native: true })
  const id = refund?.id ?? ''
  await nobodyPays()
  await sql`select wait_to_sign(${id}, ${signerId}, 'over_day_limit')`
  await cancelRefund(instance.api, { id, merchantId, livemode: undefined }, 'test')
  await nobodyPays()
  expect([await instance.waitOf(id), await isAwaited()]).toEqual([undefined, true])
})

test('the reason why a refund waits is deleted once it is canceled', async () => {
  const { merchantId } = await instance.newSigner({ coins: 0n })
  const [refund] = await instance.refunds(merchantId, 1)
  const id = refund?.id ?? ''
  await sign(id)
  expect(await instance.waitOf(id)).toBe('no_gas')
  await cancelRefund(instance.api, { id, merchantId, livemode: undefined }, 'test')
  expect(await instance.waitOf(id)).toBeUndefined()
  await sql`select wait_to_sign(${id}, ${merchantId}, 'no_answer')`
  expect(await instance.waitOf(id)).toBeUndefined()
})

import { expect, test } from 'bun:test'
import { admin } from '../../src/admin/admin.ts'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { cancelRefund } from '../../src/commands/refunds.ts'
import { readBacklog } from '../../src/queries/backlog.ts'
import { countsByReason, postponeSigning, type WaitReason } from '../../src/queries/signing.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { readableLog } from '../harness/lines.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()

const { sign, tendNow, turns } = instance
const stateOf = async (id: string) => (await instance.refund(id)).state
const look = async (id: string) => [await stateOf(id), await instance.waitOf(id)]

test.each([
  ['no gas', { coins: 0n }, {}, 'no_gas'],
  ['less gas than needed', { coins: 1_000n }, {}, 'no_gas'],
  ['too little of the token', { tokens: 9n }, {}, 'no_funds'],
  ['too little native currency', { coins: 10n ** 14n }, { native: true }, 'no_funds'],
])('with %s nothing is signed until the wallet is funded', async (_, wallet, kind, reason) => {
  const signer = await instance.newSigner(wallet)
  const [refund] = await instance.refunds(signer.merchantId, 1, kind)
  if (!refund) throw new Error('the refund is missing')
  if (reason === 'no_funds' && 'native' in kind) await instance.node.call('anvil_setBalance', signer.address, '0x9')
  await sign(refund.id)
  expect(await look(refund.id)).toEqual(['requires_signature', reason])
  await instance.node.call('anvil_setBalance', signer.address, '0xde0b6b3a7640000')
  await instance.give(signer.address, 1_000n)
  await tendNow()
  expect(await stateOf(refund.id)).toBe('processing')
})

test('signed amounts that are not mined are not spent twice', async () => {
  const signer = await instance.newSigner({ tokens: 25n })
  const refunds = await instance.refunds(signer.merchantId, 3)
  for (const { id } of refunds) await sign(id)
  const states = await Promise.all(refunds.map(({ id }) => look(id)))
  expect(states.map(([state]) => state)).toEqual(['processing', 'processing', 'requires_signature'])
  expect(states[2]?.[1]).toBe('no_funds')
})

test("refunds above the signer's limit per refund or per day are left for signing by hand", async () => {
  const signer = await instance.newSigner({ perRefundMinor: 50, perDayMinor: 100 })
  const [large] = await instance.refunds(signer.merchantId, 1, { amountMinor: 51 })
  const small = await instance.refunds(signer.merchantId, 3, { amountMinor: 40 })
  await Promise.all([large, ...small].map(refund => sign(refund?.id ?? '')))
  expect(await look(large?.id ?? '')).toEqual(['requires_signature', 'over_refund_limit'])
  const of = (await Promise.all(small.map(({ id }) => look(id)))).sort()
  expect(of).toEqual([
    ['processing', undefined],
    ['processing', undefined],
    ['requires_signature', 'over_day_limit'],
  ])
  // A day later too: by then a person may be about to sign it.
  await instance.sql`update signer_nonces set created_at = now() - interval '2 days' where signer_id = ${signer.id}`
  await tendNow()
  expect((await Promise.all(small.map(({ id }) => stateOf(id)))).sort()).toEqual(of.map(([state]) => state ?? ''))
})

test('what a removed signer has signed counts towards the daily limit of its successor', async () => {
  const limits = { perDayMinor: 100 }
  const { merchantId: of } = await instance.newSigner(limits)
  const [before] = await instance.refunds(of, 1, { amountMinor: 60 })
  await sign(before?.id ?? '')
  await instance.sql`select remove_refund_signer(${of}, 31337, 'operator')`
  await instance.newSigner({ ...limits, of })
  const [after] = await instance.refunds(of, 1, { amountMinor: 60 })
  await sign(after?.id ?? '')
  expect(await look(before?.id ?? '')).toEqual(['processing', undefined])
  expect(await look(after?.id ?? '')).toEqual(['requires_signature', 'over_day_limit'])
})

test('a currency without a limit is not paid at all', async () => {
  const signer = await instance.newSigner()
  await instance.sql`update refund_signer_limits set currency = 'EUR' where signer_id = ${signer.id}`
  const [refund] = await instance.refunds(signer.merchantId, 1)
  await sign(refund?.id ?? '')
  expect(await look(refund?.id ?? '')).toEqual(['requires_signature', 'over_refund_limit'])
})

test.each([
  [
    'the merchant signs by hand',
    (of: string) => instance.sql`update merchant_settings set refund_mode = 'manual' where merchant_id = ${of}`,
  ],
  ['it is removed', (of: string) => instance.sql`select remove_refund_signer(${of}, 31337, 'operator')`],
])('a signer signs nothing while %s', async (_, change) => {
  const { merchantId } = await instance.newSigner()
  const [refund] = await instance.refunds(merchantId, 1)
  await change(merchantId)
  await sign(refund?.id ?? '')
  await tendNow()
  expect(await look(refund?.id ?? '')).toEqual(['requires_signature', undefined])
})

test('a transfer that its recipient refuses is not sent', async () => {
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1, { native: true })
  await instance.node.call('anvil_setCode', refund?.destination, '0x5f5ffd')
  await sign(refund?.id ?? '')
  expect(await look(refund?.id ?? '')).toEqual(['requires_signature', 'refused'])
})

test('an unreachable chain is tried again later', async () => {
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1)
  const chains = connectChains(
    instance.desk.chains.all.map(({ chain }) => chain),
    () => ['http://127.0.0.1:1'],
    instance.api,
  )
  await signRefund({ ...instance.desk, chains }, turns, refund?.id ?? '')
  chains.close()
  expect(await look(refund?.id ?? '')).toEqual(['requires_signature', 'no_answer'])
  await tendNow()
  expect(await stateOf(refund?.id ?? '')).toBe('processing')
})

test('a key that no secret key decrypts signs nothing, and the log says so', async () => {
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1)
  await instance.sql`update refund_signers set sealed_key = 'v1.gone.x' where id = ${signer.id}`
  await sign(refund?.id ?? '')
  expect(await look(refund?.id ?? '')).toEqual(['requires_signature', 'unreadable_key'])
})

test('an error while a refund is signed delays only that refund, and is logged once', async () => {
  const signer = await instance.newSigner()
  const [broken, next] = await instance.refunds(signer.merchantId, 2)
  const { log, lines } = readableLog()
  const at = () => {
    throw new TypeError('out of ink')
  }
  for (let n = 0; n < 2; n++) {
    await signRefund({ ...instance.desk, log, onStep: at }, turns, broken?.id ?? '')
    expect(await look(broken?.id ?? '')).toEqual(['requires_signature', 'fault'])
    await instance.sql`update signing_waits set next_try_at = now() where refund_id = ${broken?.id ?? ''}`
  }
  const reported = { level: 50, reason: 'fault', signer: signer.address, chain: 31337 }
  expect(lines()).toEqual([
    expect.objectContaining({ ...reported, err: expect.objectContaining({ type: 'TypeError' }) }),
  ])
  await sign(next?.id ?? '')
  await tendNow()
  expect(await Promise.all([broken, next].map(each => stateOf(each?.id ?? '')))).toEqual(['processing', 'processing'])
})

test('a refund to be signed again waits until its earlier transaction is settled', async () => {
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1)
  const id = refund?.id ?? ''
  await sign(id)
  const { txHash } = await instance.refund(id)
  const [row] = await instance.sql<{ payment: string }[]>`select payment_id as payment from refunds where id = ${id}`
  const command = (kind: string, actor: string, event: { type: string } & Record<string, unknown>) => ({
    ...{ kind, actor, event, cause: 'chain:31337' },
  })
  const money = (type: string) => command('payment', row?.payment ?? '', { type, amountMinor: 10 })
  const failed = { type: 'transaction_failed', txHash, confirmations: 1, failureReason: 'reverted' }
  await instance.api.actors.dispatchBundle([command('refund', id, failed), money('release_refund')])
  await instance.api.actors.dispatchBundle([command('refund', id, { type: 'retry' }), money('reserve_refund')])
  await sign(id)
  expect(await look(id)).toEqual(['requires_signature', 'unsettled'])
})

test('each reason that keeps a signer from signing is logged once, listed with the refund, and counted', async () => {
  const { id: signerId, merchantId, address } = await instance.newSigner()
  const reasons = Object.keys(countsByReason({})) as WaitReason[]
  const before = (await readBacklog(instance.sql, [31337])).refundsUnsigned
  const refunds = await instance.refunds(merchantId, reasons.length)
  for (const [at, reason] of reasons.entries()) {
    const wait = { refundId: refunds[at]?.id ?? '', signerId, reason }
    expect([await postponeSigning(instance.sql, wait), await postponeSigning(instance.sql, wait)]).toEqual([
      true,
      false,
    ])
  }
  const counted = (await readBacklog(instance.sql, [31337])).refundsUnsigned
  for (const reason of reasons) expect([reason, counted[reason]]).toEqual([reason, before[reason] + 1])

  const logged: string[] = []
  const variables = { DATABASE_URL: instance.databaseUrl, SECRET_KEY }
  const logFailure = (what: unknown) => void logged.push(String(what))
  await admin(['signer', 'list'], {
    variables,
    print: line => void logged.push(line),
    printError: logFailure,
    readInput: async () => '',
  })
  const mine = logged.slice(logged.findIndex(line => line.includes(address)) + 1).slice(0, reasons.length)
  const reasonIn = (line: string) => /^ {2}1 not signed since \S+Z, (\w+): ./.exec(line)?.[1]
  expect(mine.map(reasonIn)).toEqual(reasons.toSorted())
})

test('a refund canceled while it is being signed is either canceled or sent', async () => {
  const signer = await instance.newSigner()
  for (const { id, destination } of await instance.refunds(signer.merchantId, 3)) {
    const name = { id, merchantId: signer.merchantId, livemode: undefined }
    const canceling = cancelRefund(instance.api, name, 'test').catch(error => {
      expect(error).toMatchObject({ code: 'state_conflict' })
    })
    await Promise.all([canceling, sign(id)])
    const state = await stateOf(id)
    await instance.node.mine()
    expect(await instance.transfersTo(destination)).toBe(state === 'canceled' ? 0 : 1)
  }
})

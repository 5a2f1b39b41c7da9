import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { openActors } from '../../src/actors/actors.ts'
import { kinds } from '../../src/kinds/all.ts'
import { releaseSigner } from '../../src/queries/signer-setup.ts'
import { openNamedLocks } from '../../src/signer/named-locks.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { checkSignersOfChain } from '../../src/signer/signer-checks.ts'
import type { SigningServices } from '../../src/signer/signing-services.ts'
import { readableLog } from '../harness/lines.ts'
import { backUp } from './backup.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()
const { node } = instance

/** A server that starts with the current database. */
const started = async (more: Partial<SigningServices> = {}) => {
  const desk = { ...instance.desk, actors: await openActors(instance.api, kinds), ...more }
  const turns = openNamedLocks()
  return {
    sign: (id: string) => signRefund(desk, turns, id),
    tend: async () => {
      await instance.sql`update signing_waits set next_try_at = now() where next_try_at < 'infinity'`
      for (const connected of desk.chains.all) await checkSignersOfChain(desk, turns, connected, { untouchedMs: 0 })
    },
  }
}

/** A restored database in another cluster. */
const beginEra = () => instance.sql`update eras set cluster = 'another', postmaster_started = '2020-01-01'`

const look = async ({ id }: { id: string }) => [(await instance.refund(id)).state, await instance.waitOf(id)]

/** All nodes forget the pending transactions. Returns those that one miner has kept. */
const keptByMiner = async (refunds: readonly { id: string }[]) => {
  const hashes = await Promise.all(refunds.map(async ({ id }) => (await instance.refund(id)).txHash))
  const kept = await Promise.all(hashes.map(hash => node.call('eth_getRawTransactionByHash', hash)))
  await node.call('anvil_dropAllTransactions')
  return kept
}

test('a refund signed after the backup is not paid again by the restored server', async () => {
  const signer = await instance.newSigner()
  const refunds = await instance.refunds(signer.merchantId, 2)
  const backup = await backUp(instance.sql)
  for (const { id } of refunds) await instance.sign(id)
  const kept = await keptByMiner(refunds)
  await backup.restore()

  const { log, lines } = readableLog()
  const server = await started({ log })
  for (const { id } of refunds.toReversed()) await server.sign(id)
  await server.tend()
  // The miner's first transaction uses its nonce, and the next one signed by the restored server is mined too.
  const reused = await instance.sql<{ raw: string }[]>`
    select raw from signed_transactions where signer_id = ${signer.id} and nonce > 0`
  await node.call('anvil_dropAllTransactions')
  for (const raw of [kept[0], ...reused.map(each => each.raw)]) await node.call('eth_sendRawTransaction', raw)
  await node.mine()
  const [first] = refunds
  expect(await instance.transfersTo(first?.destination ?? '')).toBe(1)
  expect(await Promise.all(refunds.map(look))).toEqual(refunds.map(() => ['requires_signature', 'on_hold']))
  const warning = { level: 40, reason: 'on_hold', signer: signer.address, action: 'bun run admin signer release' }
  expect(lines()).toEqual(refunds.map(() => expect.objectContaining(warning)))
})

test("a signer released by an operator signs the waiting refunds from the chain's nonce on", async () => {
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1)
  if (!refund) throw new Error('the refund is missing')
  await instance.sendElsewhere(signer.key, 0)
  await node.mine()
  await beginEra()
  const server = await started()
  await server.sign(refund.id)
  expect(await look(refund)).toEqual(['requires_signature', 'on_hold'])

  expect(await releaseSigner(instance.sql, { id: signer.id, firstNonce: 1 })).toBe(0)
  expect(await releaseSigner(instance.sql, { id: signer.id, firstNonce: 9 })).toBeUndefined()
  await server.tend()
  expect(await look(refund)).toEqual(['processing', undefined])
  const nonces = await instance.sql`select nonce::integer from signer_nonces where signer_id = ${signer.id}`
  expect([...nonces]).toEqual([{ nonce: 1 }])
  await instance.finalize()
  await server.tend()
  expect(await instance.transfersTo(refund.destination)).toBe(1)
})

test('refunds in native currency that waited when the database was restored are left for signing by hand', async () => {
  const signer = await instance.newSigner()
  const [before] = await instance.refunds(signer.merchantId, 1, { native: true })
  await beginEra()
  const [after] = await instance.refunds(signer.merchantId, 1, { native: true })
  if (!before || !after) throw new Error('the refunds are missing')
  const server = await started()
  await server.sign(before.id)
  await server.sign(after.id)
  expect(await Promise.all([before, after].map(look))).toEqual([
    ['requires_signature', 'on_hold'],
    ['requires_signature', 'on_hold'],
  ])
  expect(await releaseSigner(instance.sql, { id: signer.id, firstNonce: 0 })).toBe(1)
  await server.tend()
  expect(await Promise.all([before, after].map(look))).toEqual([
    ['requires_signature', 'by_hand'],
    ['processing', undefined],
  ])
})

test('a signature is not stored when the database is restored after its refund was read', async () => {
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1)
  if (!refund) throw new Error('the refund is missing')
  const at: SigningServices['onStep'] = async step => {
    if (step === 'signed') await beginEra()
  }
  const server = await started({ onStep: at })
  await server.sign(refund.id)
  expect(await look(refund)).toEqual(['requires_signature', 'on_hold'])
})

test('a signer added after the restore is not on hold', async () => {
  await beginEra()
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1)
  if (!refund) throw new Error('the refund is missing')
  const server = await started()
  await server.sign(refund.id)
  expect(await look(refund)).toEqual(['processing', undefined])
})

test.each([['tokens', false] as const, ['native currency', true] as const])(
  'a refund in %s stays paid by a replacement at a higher fee that was signed after the backup',
  async (_, native) => {
    const signer = await instance.newSigner()
    const [refund] = await instance.refunds(signer.merchantId, 1, { native })
    if (!refund) throw new Error('the refund is missing')
    await instance.sign(refund.id)
    const backup = await backUp(instance.sql)
    await instance.tend({ resendMs: 3_600_000, bumpMs: 0 })
    const { txHash } = await instance.refund(refund.id)
    await node.mine()
    await backup.restore()
    expect((await instance.refund(refund.id)).txHash).not.toBe(txHash)

    await instance.finalize()
    const server = await started()
    await server.tend()
    expect(await instance.refund(refund.id)).toMatchObject({ state: 'processing', txHash })
    const states = await instance.sql`select state from signer_nonces where signer_id = ${signer.id}`
    expect([...states]).toEqual([{ state: 'mined' }])
  },
)

test('a foreign transaction of the same amount to another address is no replacement', async () => {
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1, { native: true })
  if (!refund) throw new Error('the refund is missing')
  await instance.sign(refund.id)
  await node.call('anvil_dropTransaction', (await instance.refund(refund.id)).txHash)
  const [row] = await instance.sql<{ amount: string }[]>`select amount::text from refunds where id = ${refund.id}`
  const to: Hex = `0x${'e'.repeat(40)}`
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 10n, type: 'eip1559' } as const
  const sent = { chainId: 31337, nonce: 0, to, gas: 21_000n, value: BigInt(row?.amount ?? 0), ...fees } as const
  await node.call('eth_sendRawTransaction', await privateKeyToAccount(signer.key).signTransaction(sent))
  await instance.finalize()
  const server = await started()
  await server.tend()
  expect(await instance.refund(refund.id)).toMatchObject({ state: 'failed', failureReason: 'dropped' })
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { sandboxTreasury, sandboxTreasuryKey } from '../../src/sandbox/treasury.ts'
import { openNamedLocks } from '../../src/signer/named-locks.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { checkSignersOfChain } from '../../src/signer/signer-checks.ts'
import type { SigningServices } from '../../src/signer/signing-services.ts'
import { insertMerchant } from '../access/keys.ts'
import { type SignerInstance, signerInstance } from './signer-instance.ts'

let instance: SignerInstance
let desk: SigningServices
/** The epoch of the sandbox chain. */
let epoch = 'first'
const turns = openNamedLocks()

beforeAll(async () => {
  instance = await signerInstance()
  const busy = () => {
    const mining = setInterval(() => void instance.node.mine(), 20)
    return { [Symbol.dispose]: () => clearInterval(mining) }
  }
  desk = { ...instance.desk, sandbox: { url: instance.node.url, epoch: () => epoch, keepMining: busy } }
})
afterAll(async () => {
  expect(await instance.audit()).toEqual([])
  await instance[Symbol.asyncDispose]()
})

const tend = async () => {
  for (const connected of desk.chains.all) await checkSignersOfChain(desk, turns, connected, { untouchedMs: 0 })
}
const refundsOf = async (merchantId: string, count = 1) => {
  const made = await instance.refunds(merchantId, count)
  const [first] = made
  if (!first) throw new Error('the refund is missing')
  return { ...first, all: made }
}

test('other transactions by the key of a sandbox treasury do not prevent refunds from being sent', async () => {
  const merchantId = await insertMerchant(instance.sql)
  const { id, destination } = await refundsOf(merchantId)
  const treasury = sandboxTreasury(merchantId)
  await instance.node.call('anvil_setBalance', treasury, '0xde0b6b3a7640000')
  const fees = { type: 'eip1559', maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n } as const
  for (const nonce of [0, 1]) {
    const transfer = { chainId: 31337, nonce, to: treasury, value: 1n, gas: 21_000n, ...fees }
    const raw = await privateKeyToAccount(sandboxTreasuryKey(merchantId)).signTransaction(transfer)
    await instance.node.call('eth_sendRawTransaction', raw)
  }
  await signRefund(desk, turns, id)
  await instance.node.mine()
  expect(await instance.transfersTo(destination)).toBe(1)
})

test('a lost job is made up for, and an empty wallet is funded once for many refunds', async () => {
  const merchantId = await insertMerchant(instance.sql)
  const { all } = await refundsOf(merchantId, 8)
  await Promise.all([tend(), tend()])
  await instance.node.mine()
  const seen = await Promise.all(all.map(({ destination }) => instance.transfersTo(destination)))
  expect(seen).toEqual(all.map(() => 1))
  expect(await instance.transfersTo(sandboxTreasury(merchantId))).toBe(1)
})

test('a refund sent in a previous epoch of the sandbox fails, and the next one is signed from nonce 0', async () => {
  const merchantId = await insertMerchant(instance.sql)
  const before = await refundsOf(merchantId)
  await signRefund(desk, turns, before.id)
  const { txHash } = await instance.refund(before.id)
  await instance.node.call('anvil_dropTransaction', txHash as Hex)
  epoch = 'second'
  await tend()
  expect(await instance.refund(before.id)).toMatchObject({ state: 'failed', failureReason: 'dropped' })
  const after = await refundsOf(merchantId)
  await signRefund(desk, turns, after.id)
  await instance.node.mine()
  const nonces = await instance.sql<{ labels: string }[]>`
    select s.epoch || ' ' || n.nonce as labels from signer_nonces n join refund_signers s on s.id = n.signer_id
    where s.merchant_id = ${merchantId} order by s.epoch`
  expect(nonces.map(({ labels }) => labels)).toEqual(['first 0', 'second 0'])
  expect([await instance.transfersTo(before.destination), await instance.transfersTo(after.destination)]).toEqual([
    0, 1,
  ])
})

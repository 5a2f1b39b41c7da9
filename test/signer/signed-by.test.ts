import { expect, test } from 'bun:test'
import type { Hex, TransactionSerializable } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { keccak256, numberToHex, parseTransaction, serializeTransaction, toHex } from 'viem/utils'
import { openRpc } from '../../src/chain/rpc/open.ts'
import { databaseClock } from '../../src/clock.ts'
import { openLog } from '../../src/log.ts'
import { isSignedBy } from '../../src/signer/signed-by.ts'
import { changedNode } from '../chain/watch/test-node.ts'
import { anvil } from '../harness/anvil.ts'

const chainId = 31337
const account = privateKeyToAccount(generatePrivateKey())
const address = account.address.toLowerCase()
const rpcOf = (url: string) => {
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
  return openRpc({ chainId, urls: [url] }, { clock: databaseClock(), random, log: openLog('silent') })
}

test('the signer of a transaction of any type is derived from what a node returns', async () => {
  await using node = await anvil({ fast: false })
  const rpc = rpcOf(node.url)
  await node.call('anvil_setBalance', account.address, '0xde0b6b3a7640000')

  const authorizationList = [await account.signAuthorization({ chainId, address: account.address, nonce: 9 })]
  const price = { gasPrice: 10n ** 10n }
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
  const accessList = [{ address: account.address, storageKeys: [] }]
  const sent = [
    { type: 'legacy', chainId, ...price },
    { type: 'legacy', chainId, ...price, data: '0x1234' },
    { type: 'eip2930', chainId, ...price, accessList },
    { type: 'eip1559', chainId, ...fees, value: 7n },
    { type: 'eip7702', chainId, ...fees, authorizationList },
  ] satisfies readonly TransactionSerializable[]
  for (const [nonce, each] of sent.entries()) {
    const raw = await account.signTransaction({ nonce, gas: 100_000n, to: account.address, ...each })
    const hash = String(await node.call('eth_sendRawTransaction', raw))
    expect([each.type, await isSignedBy(rpc, hash, { address, nonce, chainId })]).toEqual([each.type, true])
    expect(await isSignedBy(rpc, hash, { address: `0x${'5'.repeat(40)}`, nonce, chainId })).toBe(false)
    expect(await isSignedBy(rpc, hash, { address, nonce: nonce + 1, chainId })).toBe(false)
    expect(await isSignedBy(rpc, hash, { address, nonce, chainId: 1 })).toBe(false)
  }
  // From an account without a key, as chains put some of their own into blocks.
  const [rich] = node.accounts
  await node.send({ from: rich, to: `0x${'6'.repeat(40)}`, value: '0xde0b6b3a7640000' })
  await node.call('anvil_impersonateAccount', `0x${'6'.repeat(40)}`)
  const unsigned = await node.send({ from: `0x${'6'.repeat(40)}`, to: rich, value: '0x1' })
  expect(await isSignedBy(rpc, unsigned, { address: `0x${'6'.repeat(40)}`, nonce: 0, chainId })).toBe(false)
  expect(await isSignedBy(rpc, `0x${'7'.repeat(64)}`, { address, nonce: 0, chainId })).toBe(false)
  rpc.close()
})

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const price = { gas: 21_000n, gasPrice: 10n ** 10n, to: account.address }
const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, to: account.address }

/** A response that a node could give for these bytes, with any other fields. */
const shownOf = (bytes: Hex, beside: object = {}) => {
  const {
    r,
    s,
    v,
    yParity,
    nonce = 0,
    chainId,
    gas,
    gasPrice,
    maxFeePerGas,
    maxPriorityFeePerGas,
    to,
  } = parseTransaction(bytes)
  const numbers = { v, yParity, nonce, chainId, gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas }
  const recovered = Object.entries(numbers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, toHex(value)]],
  )
  const type = gasPrice === undefined ? '0x2' : '0x0'
  return {
    hash: keccak256(bytes),
    type,
    r,
    s,
    to,
    value: '0x0',
    input: '0x',
    ...Object.fromEntries(recovered),
    ...beside,
  }
}

test('altered fields, another chain or an inverted signature prove nothing', async () => {
  const shown = new Map<unknown, object>()
  await using node = await anvil()
  await using altered = await changedNode(node.url, ({ method, params: [hash] }, answer) =>
    method === 'eth_getTransactionByHash' ? (shown.get(hash) ?? answer) : answer,
  )
  const rpc = rpcOf(altered.url)
  const isProof = async (bytes: Hex, beside?: object) => {
    shown.set(keccak256(bytes), shownOf(bytes, beside))
    return isSignedBy(rpc, keccak256(bytes), { address, nonce: 3, chainId })
  }
  const now = await account.signTransaction({ type: 'eip1559', nonce: 3, chainId, ...fees })
  expect(await isProof(now)).toBe(true)
  const older = await account.signTransaction({ type: 'eip1559', nonce: 2, chainId, ...fees })
  expect([await isProof(older), await isProof(older, { nonce: '0x3' })]).toEqual([false, false])
  const foreign = await account.signTransaction({ type: 'legacy', nonce: 3, chainId: 5, ...price })
  expect([await isProof(foreign), await isProof(foreign, { chainId: numberToHex(chainId) })]).toEqual([false, false])
  const anywhere = await account.signTransaction({ type: 'legacy', nonce: 3, ...price })
  expect([await isProof(anywhere), await isProof(anywhere, { chainId: numberToHex(chainId) })]).toEqual([false, false])

  const { r, s, yParity, v: _, ...unsigned } = parseTransaction(now)
  if (r === undefined || s === undefined || yParity === undefined) throw new Error('it is not signed')
  const turned = { r, s: toHex(ORDER - BigInt(s), { size: 32 }), yParity: 1 - yParity }
  expect(await isProof(serializeTransaction(unsigned, turned))).toBe(false)
  rpc.close()
})

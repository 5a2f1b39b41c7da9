import { expect, test } from 'bun:test'
import type { TransactionSerializable } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { openRpc } from '../../src/chain/rpc/open.ts'
import { databaseClock } from '../../src/clock.ts'
import { openLog } from '../../src/log.ts'
import { isSignedBy } from '../../src/signer/signed-by.ts'
import { anvil } from '../harness/anvil.ts'

test('the key that has signed a transaction is told by what a node shows of it, of whatever type', async () => {
  await using node = await anvil({ fast: false })
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
  const outside = { clock: databaseClock(), random, log: openLog('silent') }
  const rpc = openRpc({ chainId: 31337, urls: [node.url] }, outside)
  const account = privateKeyToAccount(generatePrivateKey())
  const address = account.address.toLowerCase()
  await node.call('anvil_setBalance', account.address, '0xde0b6b3a7640000')

  const chainId = 31337
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
    expect([each.type, await isSignedBy(rpc, hash, address)]).toEqual([each.type, true])
    expect(await isSignedBy(rpc, hash, `0x${'5'.repeat(40)}`)).toBe(false)
  }
  // From an account without a key, as chains put some of their own into blocks.
  const [rich] = node.accounts
  await node.send({ from: rich, to: `0x${'6'.repeat(40)}`, value: '0xde0b6b3a7640000' })
  await node.call('anvil_impersonateAccount', `0x${'6'.repeat(40)}`)
  const unsigned = await node.send({ from: `0x${'6'.repeat(40)}`, to: rich, value: '0x1' })
  expect(await isSignedBy(rpc, unsigned, `0x${'6'.repeat(40)}`)).toBe(false)
  expect(await isSignedBy(rpc, `0x${'7'.repeat(64)}`, address)).toBe(false)
  rpc.close()
})

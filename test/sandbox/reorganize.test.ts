import { expect, test } from 'bun:test'
import { payer } from '../../src/sandbox/contracts.ts'
import { dropTransaction } from '../../src/sandbox/simulate/reorganize.ts'
import { changedNode } from '../chain/watch/test-node.ts'
import { anvil } from '../harness/anvil.ts'

type Block = { readonly hash: string; readonly timestamp: string; readonly transactions: readonly string[] }

test('a reorg removes one transaction; all other blocks, the clock and waiting transactions stay', async () => {
  await using chain = await anvil({ mining: 'none' })
  const { url } = chain
  const [, , other, third = ''] = chain.accounts
  const send = (from: string | undefined, value: string) =>
    chain.call('eth_sendTransaction', { from, to: third, value, gas: '0x186a0' }).then(String)
  const block = async (number: string) => (await chain.call('eth_getBlockByNumber', number, false)) as Block
  const clock = async () => Number((await block('pending')).timestamp)

  const before = await send(payer, '0x1')
  await chain.mine()
  const [beside, dropped, after] = [await send(other, '0x2'), await send(payer, '0x3'), await send(payer, '0x4')]
  await chain.mine()
  const above = await send(payer, '0x5')
  await chain.mine()
  const waiting = await send(other, '0x6')
  await chain.call('evm_increaseTime', 1_000)
  const [time, coinbase, head] = [await clock(), await chain.call('eth_coinbase'), await chain.head()]

  expect(await dropTransaction(url, dropped, 2)).toBe(true)
  expect((await chain.head()).number).toBe(head.number)
  expect((await chain.head()).hash).not.toBe(head.hash)
  expect(await chain.call('eth_coinbase')).toBe(coinbase)
  expect(await clock()).toBeGreaterThanOrEqual(time)
  expect((await block('0x1')).transactions).toEqual([before])
  const { transactions } = await block('0x2')
  expect(transactions).toHaveLength(3)
  expect(transactions).toContain(beside)
  expect(transactions).toContain(after)
  expect(transactions).not.toContain(dropped)
  expect((await block('0x3')).transactions).toEqual([above])
  await chain.mine()
  expect((await block('0x4')).transactions).toEqual([waiting])
})

test('nothing is removed when a block was mined since the chain was read', async () => {
  await using chain = await anvil({ mining: 'none' })
  const [, , other, third] = chain.accounts
  const send = (from: string | undefined) =>
    chain.call('eth_sendTransaction', { from, to: third, value: '0x1' }).then(String)
  const dropped = await send(payer)
  await chain.mine()
  const coinbase = await chain.call('eth_coinbase')
  let beside: string | undefined
  await using node = await changedNode(chain.url, async ({ method }, answer) => {
    if (method !== 'eth_coinbase' || beside) return answer
    beside = await send(other)
    await chain.mine()
    return answer
  })

  expect(await dropTransaction(node.url, dropped, 1)).toBe(false)
  const found = (hash: string | undefined) => chain.call('eth_getTransactionByHash', hash)
  for (const hash of [dropped, beside]) expect(await found(hash)).toMatchObject({ blockNumber: expect.any(String) })
  expect(await chain.call('eth_coinbase')).toBe(coinbase)
  expect(await dropTransaction(node.url, dropped, 1)).toBe(true)
  expect(await found(beside)).toMatchObject({ blockNumber: '0x2' })
})

test('a waiting transaction that is mined at the moment of the reorg waits again', async () => {
  await using chain = await anvil({ mining: 'none' })
  const [, , other, third] = chain.accounts
  const send = (from: string | undefined) =>
    chain.call('eth_sendTransaction', { from, to: third, value: '0x1' }).then(String)
  const dropped = await send(payer)
  await chain.mine()
  const waiting = [await send(other), await send(payer)]
  let reads = 0
  await using node = await changedNode(chain.url, async ({ method, params }, answer) => {
    // Right after the last read.
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest' && ++reads === 2) await chain.mine()
    return answer
  })

  expect(await dropTransaction(node.url, dropped, 1)).toBe(false)
  const found = (hash: string) => chain.call('eth_getTransactionByHash', hash)
  for (const hash of waiting) expect(await found(hash)).toMatchObject({ blockNumber: null })
  expect(await dropTransaction(node.url, dropped, 1)).toBe(true)
  await chain.mine()
  for (const hash of waiting) expect(await found(hash)).toMatchObject({ blockNumber: '0x3' })
})

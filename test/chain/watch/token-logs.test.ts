import { expect, test } from 'bun:test'
import { ethereumMainnet } from '../../../src/chain/known/ethereum.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor } from '../../../src/chain/watch/books.ts'
import { deepenPayments } from '../../../src/chain/watch/depth.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { watchedOf } from '../../../src/machinery.ts'
import { forFile } from '../../harness/for-file.ts'
import { CONFIRMATIONS, chainHouse } from './chain-house.ts'
import { type Change, no, through } from './node.ts'

const house = await forFile(chainHouse(), { rests: false })
const { chain, sql } = house
const [sender = ''] = await chain.rpc<string[]>('eth_accounts')

/** Adds what it is asked to transfer to a balance, which it tells, and logs it: as a token should, but for where it is from. */
const HONEST_CODE = (() => {
  const transfer = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const runtime = `36602414604057602435806004355401600435555f52600435337f${transfer}60205fa3005b600435545f5260205ff3`
  return `0x60${(runtime.length / 2).toString(16)}8060095f395ff3${runtime}`
})()

const deployHonest = async (): Promise<string> => {
  const hash = await chain.rpc<string>('eth_sendTransaction', { from: sender, data: HONEST_CODE, gas: '0x400000' })
  await chain.mine()
  return (await chain.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)).contractAddress
}
const honest = await deployHonest()
/** Logs whatever transfers it is asked for, and keeps no balances. */
const lying = chain.otherToken

/** As of tokens that CHAINS_FILE has named. */
const watched = { ...house.watched, tokens: [honest, lying], uncheckedTokens: [honest, lying] }
const sourceOf = (...urls: string[]) => openSource(openRpc({ chainId: watched.id, urls }, house.api), watched.tokens)
const read = async (source = sourceOf(chain.url)) => {
  for (let steps = 0; steps < 300; steps++) if ((await readNext(sql, watched, source)) === 'idle') break
  await finalizeNext(sql, watched, source)
  do await house.settle()
  while ((await deepenPayments(sql, watched, source)) > 0)
}

const paidIn = async (token: string, amount = 1000n) => {
  const payment = await house.opened({ tokenAddress: token })
  await chain.pay(payment.address, amount, token)
  return payment
}

test('money that the logs of a token of CHAINS_FILE tell of counts where its balances bear that out', async () => {
  const [told, there] = [await paidIn(lying), await paidIn(honest)]
  await chain.mine()
  await read()
  expect((await house.stateOf(there))?.state).toBe('processing')
  await chain.mine(CONFIRMATIONS)
  await read()
  expect(await house.stateOf(there)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect(await house.stateOf(told)).toMatchObject({ state: 'pending', amountReceived: 0n, amountFinal: 0n })
  // The chain is read on.
  expect((await findCursor(sql, watched.id))?.finalNumber).toBeGreaterThan((await house.head()) - CONFIRMATIONS)
})

test('after an outage it counts as well where it is there, and only there', async () => {
  const [told, there] = [await paidIn(lying), await paidIn(honest)]
  await chain.mine(230)
  await read()
  await read()
  expect(await house.stateOf(there)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect((await house.stateOf(told))?.amountFinal).toBe(0n)
})

test('where no node has the states any more, what is held now is compared', async () => {
  const [told, there] = [await paidIn(lying), await paidIn(honest)]
  await chain.mine(CONFIRMATIONS + 1)
  const forgetful: Change = ({ method, params }, answer) =>
    method === 'eth_call' && params[1] !== 'latest' ? no : answer
  await using node = await through(chain.url, forgetful)
  await read(sourceOf(node.url))
  expect(await house.stateOf(there)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect(await house.stateOf(told)).toMatchObject({ amountReceived: 0n, amountFinal: 0n })
})

test('tokens of the table are believed, and those that CHAINS_FILE adds to their chain are compared', () => {
  const added = { asset: 'XUSD', address: `0x${'f'.repeat(40)}`, decimals: 6, peg: 'USD' }
  const rpc = openRpc({ chainId: 1, urls: [] }, house.api)
  expect(watchedOf({ chain: { ...ethereumMainnet, tokens: [...ethereumMainnet.tokens, added] }, rpc })).toMatchObject({
    uncheckedTokens: [added.address],
  })
  expect(watchedOf({ chain: { ...ethereumMainnet, id: 7, tokens: [added] }, rpc })).toMatchObject({
    uncheckedTokens: [added.address],
  })
})

import { expect, test } from 'bun:test'
import pino from 'pino'
import { toHex } from 'viem/utils'
import { ethereumMainnet } from '../../../src/chain/known/ethereum.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor } from '../../../src/chain/watch/chain-state.ts'
import { deepenPayments } from '../../../src/chain/watch/depth.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { encodeId } from '../../../src/ids.ts'
import { watchedOf } from '../../../src/server/background-services.ts'
import { forFile } from '../../harness/for-file.ts'
import { CONFIRMATIONS, openChainFixture } from './chain-fixture.ts'
import { type AnswerChange, changedNode, type NodeCall, refusal } from './test-node.ts'

const fixture = await forFile(openChainFixture(), { rests: false })
const { chain, sql } = fixture
const [sender = ''] = await chain.rpc<string[]>('eth_accounts')

/**
 * A token that moves an amount between balances, which it returns, and logs the transfer. The balance of a sender may
 * become negative. Called with three words it logs a transfer from the first address to the second and moves nothing.
 */
const HONEST_CODE = (() => {
  const log = `7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa300`
  const move = `60243533540333556024356004355401600435556024355f5260043533${log}`
  const balance = '5b600435545f5260205ff3'
  const forge = `5b6044355f52602435600435${log}`
  const hex = (bytes: number) => bytes.toString(16).padStart(2, '0')
  const [balanceAt, forgeAt] = [14 + move.length / 2, 14 + (move.length + balance.length) / 2]
  const runtime = `3660241460${hex(balanceAt)}573660641460${hex(forgeAt)}57${move}${balance}${forge}`
  return `0x60${hex(runtime.length / 2)}8060095f395ff3${runtime}`
})()

const deployHonest = async (): Promise<string> => {
  const hash = await chain.rpc<string>('eth_sendTransaction', { from: sender, data: HONEST_CODE, gas: '0x400000' })
  await chain.mine()
  return (await chain.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)).contractAddress
}
const honest = await deployHonest()
/** Logs every requested transfer, and keeps no balances. */
const lying = chain.otherToken

/** With tokens of CHAINS_FILE. */
const watched = { ...fixture.watched, tokens: [honest, lying], uncheckedTokens: [honest, lying] }
const sourceOf = (...urls: string[]) => openSource(openRpc({ chainId: watched.id, urls }, fixture.api), watched.tokens)
const read = async (source = sourceOf(chain.url)) => {
  for (let steps = 0; steps < 300; steps++) if ((await readNext(sql, watched, source, { log })) === 'idle') break
  await finalizeNext(sql, watched, source, log)
  do await fixture.settle()
  while ((await deepenPayments(sql, watched, source)) > 0)
}

/** Moves the balance of a deposit address to the treasury. */
const sweep = async (from: string, amount = 1000n) => {
  await chain.rpc('anvil_setBalance', from, '0xde0b6b3a7640000')
  await chain.rpc('anvil_impersonateAccount', from)
  await chain.rpc('eth_sendTransaction', { ...chain.payment(TREASURY, amount, honest), from })
}
/** The treasury of every deposit address: see `issueAddress`. */
const TREASURY = `0x${'7'.repeat(40)}`
/** The token logs a transfer and moves nothing. */
const forge = (from: string, to: string, amount = 1000n) => {
  const data = `0x00000000${[from, to, toHex(amount)].map(each => each.slice(2).padStart(64, '0')).join('')}`
  return chain.rpc('eth_sendTransaction', { from: sender, to: honest, data, gas: '0x100000' })
}

const lines: Record<string, unknown>[] = []
const log = pino({ base: null, timestamp: false }, { write: line => lines.push(JSON.parse(line)) })
const linesOf = ({ actor }: { readonly actor: string }) =>
  lines.filter(({ msg, payment }) => msg === 'token transfer not credited' && payment === encodeId('pay', actor))

const paidIn = async (token: string, amount = 1000n) => {
  const payment = await fixture.openPayment({ tokenAddress: token })
  await chain.pay(payment.address, amount, token)
  return payment
}

test('a transfer of a token of CHAINS_FILE counts only if the balance shows it', async () => {
  const [forged, there] = [await paidIn(lying), await paidIn(honest)]
  await chain.mine()
  await read()
  expect((await fixture.stateOf(there))?.state).toBe('processing')
  await chain.mine(CONFIRMATIONS)
  await read()
  expect(await fixture.stateOf(there)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect(await fixture.stateOf(forged)).toMatchObject({ state: 'pending', amountReceived: 0n, amountFinal: 0n })
  // Reading continues.
  expect((await findCursor(sql, watched.id))?.finalNumber).toBeGreaterThan((await fixture.head()) - CONFIRMATIONS)
})

test('after an outage a transfer counts only if the balance shows it', async () => {
  const [forged, there] = [await paidIn(lying), await paidIn(honest)]
  await chain.mine(230)
  await read()
  await read()
  expect(await fixture.stateOf(there)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect((await fixture.stateOf(forged))?.amountFinal).toBe(0n)
})

test.each([
  ['when its block becomes final', 0, CONFIRMATIONS],
  // The node keeps the states of 200 blocks.
  ['after an outage', 150, 80],
])('a deposit that is collected in the block in which it arrives is credited %s', async (_, before, after) => {
  if (before > 0) await chain.mine(before)
  const there = await paidIn(honest)
  await sweep(there.address)
  await chain.mine(after)
  await read()
  await read()
  expect(await fixture.stateOf(there)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect(linesOf(there)).toEqual([])
})

const OTHER = `0x${'e'.repeat(40)}`
const nothing = async () => {}
const payTreasury = () => chain.pay(TREASURY, 1000n, honest)
const collectOther = async () => {
  const other = await paidIn(honest)
  await sweep(other.address)
}

test.each([
  ['to its treasury', TREASURY, nothing],
  ['to its treasury, to which as much is paid', TREASURY, payTreasury],
  ['to its treasury, for which as much is collected', TREASURY, collectOther],
  ['to another address', OTHER, nothing],
  ['to another address, while as much is collected', OTHER, collectOther],
])('logs that move money to a deposit address and on in one block need attention: %s', async (_, to, inSameBlock) => {
  const forged = await fixture.openPayment({ tokenAddress: honest })
  await forge(sender, forged.address)
  await forge(forged.address, to)
  await inSameBlock()
  await chain.mine(CONFIRMATIONS)
  await read()
  await read()
  expect(await fixture.stateOf(forged)).toMatchObject({
    ...{ state: 'pending', amountReceived: 0n, amountFinal: 0n, attention: true },
  })
  expect(linesOf(forged)).toMatchObject([{ token: honest, amount: '1000', reason: 'collection not confirmed' }])
})

test('logs that collect less than they deposit pay nothing', async () => {
  const forged = await fixture.openPayment({ tokenAddress: honest })
  await forge(sender, forged.address)
  await forge(forged.address, TREASURY, 999n)
  await chain.mine(CONFIRMATIONS)
  await read()
  expect(await fixture.stateOf(forged)).toMatchObject({ state: 'pending', amountFinal: 0n, attention: false })
  expect(linesOf(forged)).toMatchObject([{ reason: 'balance did not rise' }])
})

test('deposits that are collected together in the block in which they arrive are credited', async () => {
  const both = [await paidIn(honest), await paidIn(honest)]
  for (const { address } of both) await sweep(address)
  await chain.mine(CONFIRMATIONS)
  await read()
  for (const each of both) expect(await fixture.stateOf(each)).toMatchObject({ state: 'success', attention: false })
})

test('a token transfer that is not credited is logged once, with its payment and transaction', async () => {
  const forged = await fixture.openPayment({ tokenAddress: lying })
  const txHash = await chain.pay(forged.address, 1000n, lying)
  await chain.mine(CONFIRMATIONS)
  await read()
  await read()
  expect(linesOf(forged)).toMatchObject([{ txHash, token: lying, amount: '1000', reason: 'balance did not rise' }])
  expect(await fixture.stateOf(forged)).toMatchObject({ state: 'pending', attention: false })
})

const pruning: AnswerChange = ({ method, params }, answer) =>
  method === 'eth_call' && params[1] !== 'latest' ? refusal : answer

test.each([
  ['soon', CONFIRMATIONS],
  ['an outage', 230],
])(
  'a deposit that was collected before it was compared needs attention where states are pruned: %s',
  async (_, blocks) => {
    const [swept, there] = [await paidIn(honest), await paidIn(honest)]
    await chain.mine()
    await sweep(swept.address)
    await chain.mine(blocks)
    await using node = await changedNode(chain.url, pruning)
    await read(sourceOf(node.url))
    await read(sourceOf(node.url))
    expect(await fixture.stateOf(there)).toMatchObject({ state: 'success', amountFinal: 1000n, attention: false })
    expect(await fixture.stateOf(swept)).toMatchObject({
      amountFinal: 0n,
      attention: true,
      collectionUnexplained: true,
    })
    expect(linesOf(swept)).toMatchObject([{ token: honest, amount: '1000', reason: 'states are pruned' }])
  },
)

test.each([
  ['with their states', (_: NodeCall, answer: unknown) => answer],
  ['without them', pruning],
])('the balances of many addresses are requested together and only once: %s', async (_, change) => {
  const many = await Promise.all(Array.from({ length: 100 }, () => fixture.openPayment({ tokenAddress: honest })))
  for (const { address } of many) await chain.pay(address, 1000n, honest)
  await chain.mine(CONFIRMATIONS)
  let requests = 0
  const counted: AnswerChange = (call, answer, at) => {
    if (call.method === 'eth_call' && isFirst(at)) requests++
    return change(call, answer)
  }
  // In a batch about balances, the first or the second call is an `eth_call`.
  const isFirst = (at = 0) => at < 2
  await using node = await changedNode(chain.url, counted)
  const source = sourceOf(node.url)
  while ((await readNext(sql, watched, source)) !== 'idle');
  await expect(finalizeNext(sql, watched, { ...source, agreedBlocks: async () => undefined })).resolves.toBe(false)
  expect(requests).toBeLessThan(60)
  const before = requests
  await finalizeNext(sql, watched, source)
  expect(requests).toBe(before)
  await read(source)
  const states = await Promise.all(many.map(fixture.stateOf))
  expect(states.filter(each => each?.state === 'success')).toHaveLength(100)
})

test('where states are pruned, the current balance is compared', async () => {
  const [forged, there] = [await paidIn(lying), await paidIn(honest)]
  await chain.mine(CONFIRMATIONS + 1)
  await using node = await changedNode(chain.url, pruning)
  await read(sourceOf(node.url))
  expect(await fixture.stateOf(there)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect(await fixture.stateOf(forged)).toMatchObject({ amountReceived: 0n, amountFinal: 0n })
})

test('only tokens of CHAINS_FILE are compared with balances, on known chains too', () => {
  const added = { asset: 'XUSD', address: `0x${'f'.repeat(40)}`, decimals: 6, peg: 'USD' }
  const rpc = openRpc({ chainId: 1, urls: [] }, fixture.api)
  expect(watchedOf({ chain: { ...ethereumMainnet, tokens: [...ethereumMainnet.tokens, added] }, rpc })).toMatchObject({
    uncheckedTokens: [added.address],
  })
  expect(watchedOf({ chain: { ...ethereumMainnet, id: 7, tokens: [added] }, rpc })).toMatchObject({
    uncheckedTokens: [added.address],
  })
})

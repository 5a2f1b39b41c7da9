import { expect, test } from 'bun:test'
import { RpcFault } from '../../../src/chain/rpc/rpc.ts'
import { endWindows } from '../../../src/chain/watch/windows.ts'
import { forFile } from '../../harness/for-file.ts'
import { rewrite } from '../../harness/rewrite.ts'
import type { MadePayment } from '../../http/payments.ts'
import { CONFIRMATIONS, openChainFixture } from './chain-fixture.ts'
import { type AnswerChange, changedNode, refusalWith } from './test-node.ts'

/** Blocks with more transfers than one answer can hold. Anyone who pays the gas can make such a block. */

const fixture = await forFile(openChainFixture(), { rests: false })
const { chain } = fixture
const [SENDER] = await chain.rpc<string[]>('eth_accounts')

// Room for 30,000 transfers in one block.
await chain.rpc('evm_setBlockGasLimit', '0x6000000')

/** The maximum number of logs in one answer. */
const LISTED = 1_000
const STRANGER = `0x${'5f'.repeat(20)}`
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** A token that logs a transfer as often as the third word of the call says. */
const REPEATING = `0x6024355f526044355b8015603e57600435337f${TRANSFER}60205fa36001900360085600`.replace(/00$/, '5b00')

const word = (value: string | number) => BigInt(value).toString(16).padStart(64, '0')

type Crowd = {
  readonly to?: string
  readonly amount?: number
  readonly times?: number
  readonly transactions?: number
  readonly of?: string
}

/** Mines one block with so many transfers in each of so many transactions, and payments of 1,000. */
const mineCrowded = async (
  paid: readonly MadePayment[],
  { to = STRANGER, amount = 0, times = LISTED + 1, transactions = 1, of = chain.token }: Crowd = {},
) => {
  const code = await chain.rpc<string>('eth_getCode', of, 'latest')
  await chain.rpc('anvil_setCode', of, REPEATING)
  const send = (recipient: string, value: number, times: number) =>
    chain.rpc('eth_sendTransaction', {
      ...{ from: SENDER, to: of, gas: '0x1800000' },
      data: `0xa9059cbb${word(recipient)}${word(value)}${word(times)}`,
    })
  for (let n = 0; n < transactions; n++) await send(to, amount, times)
  if (of === chain.token) for (const { address } of paid) await send(address, 1000, 1)
  else for (const { address } of paid) await chain.pay(address, 1000n)
  await chain.mine()
  await chain.rpc('anvil_setCode', of, code)
}

const refusing =
  (isRefused: (filter: Filter, count: number) => boolean): AnswerChange =>
  ({ method, params: [filter] }, answer) =>
    method === 'eth_getLogs' && Array.isArray(answer) && isRefused(filter as Filter, answer.length)
      ? refusalWith(-32005)
      : answer

type Filter = { readonly address?: string | readonly string[]; readonly topics?: readonly unknown[] }

const limit = refusing((_, count) => count > LISTED)

/** Uses two nodes with this behaviour. */
const throughTwo = async (
  change: AnswerChange,
  work: (source: ReturnType<typeof fixture.sourceOf>) => Promise<unknown>,
) => {
  await using one = await changedNode(chain.url, change)
  await using other = await changedNode(chain.url, change)
  await work(fixture.sourceOf(one.url, other.url))
}

/** Expects that the chain is read up to its head, and blocks after the crowded one become final. */
const expectAllPaid = async (source: ReturnType<typeof fixture.sourceOf>, paid: readonly MadePayment[]) => {
  const after = await fixture.openPayment()
  await chain.pay(after.address, 1000n)
  await chain.mine(2 * CONFIRMATIONS)
  await readAgain(source)
  for (const payment of [...paid, after])
    expect(await fixture.stateOf(payment)).toMatchObject({
      state: 'success',
      amountReceived: 1000n,
      amountFinal: 1000n,
    })
}

/** Repeats reading after a timeout, as the service does: on a busy machine such an answer takes many seconds. */
const readAgain = async (source: ReturnType<typeof fixture.sourceOf>, attempts = 3): Promise<void> => {
  try {
    await fixture.read(source)
  } catch (error) {
    if (!(error instanceof RpcFault && error.reason === 'timeout' && attempts > 1)) throw error
    await readAgain(source, attempts - 1)
  }
}

for (const [what, change, crowd] of [
  ['than 10,000 transfers of amount 0', refusing((_, count) => count > 10_000), { times: 10_001 }],
  ['small transfers than its nodes list', limit, { amount: 1 }],
  ['transfers of another token than its nodes list', limit, { of: chain.otherToken }],
  ['transfers than fit in 16 MiB', (_, answer) => answer, { times: 10_001, transactions: 3 }],
  [
    'transfers than its nodes list, which return no receipts,',
    (call, answer) => (call.method === 'eth_getTransactionReceipt' ? refusalWith(-32601) : limit(call, answer)),
    {},
  ],
  [
    'transfers than its nodes list, which support no filter by recipient,',
    refusing(({ topics }, count) => count > LISTED || Array.isArray(topics?.[2])),
    {},
  ],
] as const satisfies [string, AnswerChange, Crowd][])
  test(`a block with more ${what} is read and becomes final`, async () => {
    const payment = await fixture.openPayment()
    await mineCrowded([payment], crowd)
    await throughTwo(change, source => expectAllPaid(source, [payment]))
  }, 120_000)

test('a block with more transfers to one payment than its nodes list is read, and its window ends', async () => {
  const payment = await fixture.openPayment()
  const { timestamp } = await chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  const end = new Date((Number(timestamp) + 1_800) * 1_000)
  await rewrite(fixture.sql, 'payments', [payment.actor], { expires_at: end, quote_expires_at: null })
  await mineCrowded([], { to: payment.address })
  await chain.rpc('evm_increaseTime', 3_600)
  await chain.mine()
  await throughTwo(limit, async source => {
    await fixture.read(source)
    await endWindows(fixture.api, fixture.watched.id, { source, aheadMs: 86_400_000 })
    expect((await fixture.stateOf(payment))?.state).toBe('expired')
  })
}, 120_000)

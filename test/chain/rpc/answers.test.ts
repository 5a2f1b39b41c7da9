import { afterAll, describe, expect, test } from 'bun:test'
import { findFullBlock, findHeader, findTransaction, readHeader } from '../../../src/chain/rpc/block.ts'
import { mayHaveLog } from '../../../src/chain/rpc/bloom.ts'
import { readAddress, readBigint, readBytes, readHash, readNumber } from '../../../src/chain/rpc/hex.ts'
import { readLogs } from '../../../src/chain/rpc/log.ts'
import { findReceipt } from '../../../src/chain/rpc/receipt.ts'
import { RpcFault } from '../../../src/chain/rpc/rpc.ts'
import { pay, revertingToken, sendMined, token, tokenChain, transferTopic, word } from './nodes.ts'

const chain = await tokenChain()
afterAll(() => chain[Symbol.asyncDispose]())
const hash = await pay(chain, '0xbeef', 77)
const receipt = record(await chain.call('eth_getTransactionReceipt', hash))
const block = record(await chain.call('eth_getBlockByNumber', receipt.blockNumber, true))
const logs = (await chain.call('eth_getLogs', { blockHash: receipt.blockHash })) as Record<string, unknown>[]

function record(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>
}

const isGarbage = (read: () => unknown): boolean => {
  try {
    read()
    return false
  } catch (error) {
    return error instanceof RpcFault && error.reason === 'garbage'
  }
}

describe('a number', () => {
  for (const [text, number] of [
    ['0x0', 0],
    ['0xff', 255],
    ['0xFF', 255],
    ['0x1fffffffffffff', 2 ** 53 - 1],
  ] as const)
    test(`${text} is ${number}`, () => expect(readNumber(text, 'it')).toBe(number))
  const wrong = [
    '0x20000000000000',
    '0x',
    '0x00',
    '0x01',
    '0X1',
    '1',
    '',
    ' 0x1',
    '0x1 ',
    '-0x1',
    '0x1g',
    '0x1.0',
    '0x1n',
    1,
    1n,
    null,
    undefined,
    {},
    ['0x1'],
    `0x${'f'.repeat(65)}`,
  ]
  for (const value of wrong)
    test(`${Bun.inspect(value)} is refused`, () => expect(isGarbage(() => readNumber(value, 'it'))).toBe(true))
  test('of up to 256 bits is read as a bigint', () => {
    expect(readBigint(`0x${'f'.repeat(64)}`, 'it')).toBe(2n ** 256n - 1n)
    expect(isGarbage(() => readBigint(`0x1${'0'.repeat(64)}`, 'it'))).toBe(true)
  })
})

describe('bytes', () => {
  test('are returned in lower case', () => expect(readBytes('0xABcd', 'it')).toBe('0xabcd'))
  test('may be empty', () => expect(readBytes('0x', 'it')).toBe('0x'))
  for (const value of ['0xabc', 'abcd', '0xzz', '0xab\n', '0X12', null, 12, ['0xab']])
    test(`cannot be ${Bun.inspect(value)}`, () => expect(isGarbage(() => readBytes(value, 'it'))).toBe(true))
  test('of a hash are 32, and of an address 20', () => {
    expect(isGarbage(() => readHash(`0x${'a'.repeat(62)}`, 'it'))).toBe(true)
    expect(isGarbage(() => readAddress(`0x${'a'.repeat(42)}`, 'it'))).toBe(true)
  })
})

describe('an answer of a real node', () => {
  test('is read: header', () => {
    expect(readHeader(block, { number: Number(receipt.blockNumber), hash: String(receipt.blockHash) })).toEqual({
      number: Number(block.number),
      hash: String(block.hash),
      parentHash: String(block.parentHash),
      timestamp: Number(block.timestamp),
      logsBloom: String(block.logsBloom),
    })
  })

  test('is read: block with its transactions', () => {
    expect(findFullBlock(block)?.transactions).toEqual([
      expect.objectContaining({
        hash,
        to: token,
        value: 0n,
        input: `0x${word(77)}${word('0xbeef')}`,
        blockHash: String(block.hash),
      }),
    ])
  })

  test('is read: log', () => {
    expect(readLogs(logs)).toEqual([
      expect.objectContaining({ address: token, data: `0x${word(77)}`, transactionHash: hash, logIndex: 0 }),
    ])
  })

  test('is read: receipts of a success and a revert, and no receipt', async () => {
    const reverted = await sendMined(chain, revertingToken)
    expect(findReceipt(receipt, hash)).toMatchObject({ status: 'success', to: token, logs: readLogs(logs) })
    expect(findReceipt(await chain.call('eth_getTransactionReceipt', reverted), reverted)?.status).toBe('reverted')
    expect(findReceipt(null, hash)).toBeUndefined()
    expect(findHeader(null)).toBeUndefined()
    expect(findTransaction(await chain.call('eth_getTransactionByHash', hash), hash)?.value).toBe(0n)
  })
})

describe('an answer is refused:', () => {
  const [log = {}] = logs
  const other = `0x${'1'.repeat(64)}`
  const wrong: readonly [why: string, read: () => unknown][] = [
    ['another block number than requested', () => readHeader(block, { number: 1_000 })],
    ['another block hash than requested', () => readHeader(block, { hash: other })],
    ['a block with a short bloom', () => readHeader({ ...block, logsBloom: '0x00' })],
    ['a block whose number is too large', () => readHeader({ ...block, number: '0xffffffffffffffff' })],
    ['a block that is a list', () => readHeader([block])],
    ['a block with a transaction of another block', () => findFullBlock({ ...block, hash: other })],
    ['a block with hashes for transactions', () => findFullBlock({ ...block, transactions: [hash] })],
    ['another transaction', () => findTransaction(record((block.transactions as unknown[])[0]), other)],
    ['another receipt', () => findReceipt(receipt, other)],
    ['a receipt with the log of another block', () => findReceipt({ ...receipt, blockHash: other }, hash)],
    ['a receipt without a status', () => findReceipt({ ...receipt, status: undefined }, hash)],
    ['a receipt with a third status', () => findReceipt({ ...receipt, status: '0x2' }, hash)],
    ['a duplicate log', () => readLogs([log, log])],
    ['logs of two blocks with one number', () => readLogs([log, { ...log, blockHash: other, logIndex: '0x1' }])],
    ['a removed log', () => readLogs([{ ...log, removed: true }])],
    ['a log without a block', () => readLogs([{ ...log, blockNumber: null, blockHash: null }])],
    ['a log with five topics', () => readLogs([{ ...log, topics: Array(5).fill(other) }])],
    ['a log of another contract than requested', () => readLogs([log], { addresses: [revertingToken], topics: [] })],
    [
      'a log of another topic than requested',
      () => readLogs([log], { addresses: [token], topics: [null, null, other] }),
    ],
    [
      'a log with fewer topics than requested',
      () => readLogs([{ ...log, topics: [] }], { addresses: [], topics: [[transferTopic]] }),
    ],
    ['null in place of logs', () => readLogs(null)],
  ]
  for (const [why, read] of wrong) test(why, () => expect(isGarbage(read)).toBe(true))

  test('with an error that names the field and not its value', () => {
    try {
      readHeader({ ...block, hash: 'k3y-secret' })
    } catch (error) {
      expect(Bun.inspect(error)).not.toContain('k3y-secret"')
      expect((error as Error).message).not.toContain('k3y')
      return
    }
    throw new Error('The header was accepted')
  })
})

describe('the bloom of a block', () => {
  test('may contain the logs of the block', () =>
    expect(mayHaveLog(String(block.logsBloom), token, transferTopic)).toBe(true))
  test('excludes other contracts and topics', () => {
    expect(mayHaveLog(String(block.logsBloom), revertingToken, transferTopic)).toBe(false)
    expect(mayHaveLog(String(block.logsBloom), token, `0x${word(1)}`)).toBe(false)
  })
  test('of an empty block excludes every log', async () => {
    await chain.mine()
    const empty = readHeader(await chain.call('eth_getBlockByNumber', 'latest', false))
    expect(mayHaveLog(empty.logsBloom, token, transferTopic)).toBe(false)
  })
  test('never excludes a log of the block: 200 payments', async () => {
    for (let i = 1; i <= 200; i++) await pay(chain, `0x${i.toString(16)}`, i)
    const found = readLogs(await chain.call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }))
    expect(found.length).toBeGreaterThan(200)
    for (const log of found) {
      const header = readHeader(await chain.call('eth_getBlockByHash', log.blockHash, false), { hash: log.blockHash })
      for (const topic of log.topics) expect(mayHaveLog(header.logsBloom, log.address, topic)).toBe(true)
    }
  })
})

import {
  notWellFormed,
  readAddress,
  readBigint,
  readBytes,
  readHash,
  readList,
  readNumber,
  readRecord,
  toQuantity,
} from './hex.ts'
import { type RpcCall, RpcFault } from './rpc.ts'

export type BlockHeader = {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Seconds, by the chain's clock. */
  readonly timestamp: number
  readonly logsBloom: string
}

export type Transaction = {
  readonly hash: string
  readonly from: string
  /** Null where the transaction creates a contract. */
  readonly to: string | null
  readonly value: bigint
  readonly input: string
  /** A bigint: the system transactions of some chains have nonces above the largest safe integer. */
  readonly nonce: bigint
  /** Null while the transaction is pending. */
  readonly blockNumber: number | null
  readonly blockHash: string | null
}

export type FullBlock = BlockHeader & { readonly transactions: readonly Transaction[] }

/** The block that was requested. An answer with another block is a fault. */
export type BlockSelector = { readonly number?: number; readonly hash?: string }

/** Throws where the node has no such block; `findHeader` returns undefined instead. */
export const readHeader = (answer: unknown, asked: BlockSelector = {}): BlockHeader =>
  findHeader(answer, asked) ?? missing()

/** Undefined where the node has no such block. */
export const findHeader = (answer: unknown, asked: BlockSelector = {}): BlockHeader | undefined =>
  answer === null ? undefined : headerOf(readRecord(answer, 'a block'), asked)

/** Parses the answer to `eth_getBlockByNumber` with full transactions. */
export const findFullBlock = (answer: unknown, asked: BlockSelector = {}): FullBlock | undefined => {
  if (answer === null) return undefined
  const block = readRecord(answer, 'a block')
  const header = headerOf(block, asked)
  const transactions = readList(block.transactions, 'transactions').map(each => readTransaction(each))
  for (const { blockHash, blockNumber } of transactions)
    if (blockHash !== header.hash || blockNumber !== header.number)
      throw new RpcFault('garbage', 'a block contains a transaction of another block')
  return { ...header, transactions }
}

/** Undefined where the node knows no such transaction. */
export const findTransaction = (answer: unknown, hash: string): Transaction | undefined => {
  if (answer === null) return undefined
  const transaction = readTransaction(answer)
  if (transaction.hash !== hash) throw new RpcFault('garbage', 'not the requested transaction')
  return transaction
}

/** The end of the year 9999. Postgres timestamps and `Date` are not used beyond it. */
const LATEST = 253_402_300_799

const headerOf = (block: Readonly<Record<string, unknown>>, { number, hash }: BlockSelector): BlockHeader => {
  const header = {
    number: readNumber(block.number, 'number'),
    hash: readHash(block.hash, 'hash'),
    parentHash: readHash(block.parentHash, 'parentHash'),
    timestamp: readNumber(block.timestamp, 'timestamp', LATEST),
    logsBloom: readBytes(block.logsBloom, 'logsBloom', 256),
  }
  if ((number !== undefined && number !== header.number) || (hash !== undefined && hash !== header.hash))
    throw new RpcFault('garbage', 'not the requested block')
  return header
}

const readTransaction = (answer: unknown): Transaction => {
  const transaction = readRecord(answer, 'a transaction')
  const { blockNumber, blockHash } = transaction
  if ((blockNumber === null) !== (blockHash === null)) return notWellFormed('the block of a transaction')
  return {
    hash: readHash(transaction.hash, 'hash'),
    from: readAddress(transaction.from, 'from'),
    to: transaction.to === null ? null : readAddress(transaction.to, 'to'),
    value: readBigint(transaction.value, 'value'),
    input: readBytes(transaction.input, 'input'),
    nonce: readBigint(transaction.nonce, 'nonce'),
    blockNumber: blockNumber === null ? null : readNumber(blockNumber, 'blockNumber'),
    blockHash: blockHash === null ? null : readHash(blockHash, 'blockHash'),
  }
}

const missing = (): never => {
  throw new RpcFault('behind', 'the node does not have the block')
}

/**
 * Whether the node has this block. A node that has another block at this number, or none, is on another fork or behind.
 */
export const isBlock = (answer: unknown, { number, hash }: Required<BlockSelector>): boolean =>
  findHeader(answer, { number })?.hash === hash

/** The transaction hashes, in order, of a block that was requested without full transactions. */
export const transactionHashesIn = (answer: unknown): readonly string[] =>
  readList(readRecord(answer, 'a block').transactions, 'transactions').map(hash => readHash(hash, 'hash'))

type BlockTag = 'latest' | 'finalized'

/** Requests a block without its transactions. */
export const blockCall = (place: number | BlockTag): RpcCall => callFor(place, false)

export const fullBlockCall = (place: number | BlockTag): RpcCall => callFor(place, true)

/** Requests a block without its transactions, also one that is no longer part of the chain. */
export const blockByHashCall = (hash: string): RpcCall => ({ method: 'eth_getBlockByHash', params: [hash, false] })

const callFor = (place: number | BlockTag, isFull: boolean): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [typeof place === 'number' ? toQuantity(place) : place, isFull],
})

import { isIn } from './bloom.ts'
import type { Cursor, TransferLog } from './books.ts'
import { type ChainSource, type Header, TRANSFER } from './read.ts'

/** One question to a node, by the names of JSON-RPC. */
export type Question = { readonly method: string; readonly params: readonly unknown[] }

/** Who answers for a chain: several nodes behind one face. */
export type Nodes = {
  /** Answers in the order of the questions; an error stands where a node has refused one. */
  ask(questions: readonly Question[]): Promise<readonly unknown[]>
  /** Each of them asked by itself, two where there are two. */
  askEach(questions: readonly Question[]): Promise<readonly (readonly unknown[])[]>
}

/** A chain as its nodes tell it, believed only where an answer is whole and of one piece. */
export const openSource = (nodes: Nodes, tokens: readonly string[]): ChainSource => {
  const transfersAt = (where: object): Question => ({
    method: 'eth_getLogs',
    params: [{ ...where, address: tokens, topics: [TRANSFER] }],
  })

  /** A range that is refused is asked for in halves, down to one block. */
  const transfers = async (from: number, to: number): Promise<readonly TransferLog[]> => {
    const [logs] = await nodes.ask([transfersAt({ fromBlock: hex(from), toBlock: hex(to) })])
    if (!(logs instanceof Error)) return parseLogs(logs)
    if (from === to) throw logs
    const middle = Math.floor((from + to) / 2)
    return [...(await transfers(from, middle)), ...(await transfers(middle + 1, to))]
  }

  return {
    head: async () => {
      const [number] = await nodes.ask([{ method: 'eth_blockNumber', params: [] }])
      return parseNumber(believed(number), 'block number')
    },
    headers: async numbers => {
      const blocks = await nodes.ask(
        numbers.map(number => ({ method: 'eth_getBlockByNumber', params: [hex(number), false] })),
      )
      return blocks.map((block, n) => parseHeader(believed(block), numbers[n] ?? -1))
    },
    transfers,
    transfersIn: async blockHash => {
      const [logs] = await nodes.ask([transfersAt({ blockHash })])
      return logs instanceof Error ? undefined : parseLogs(logs)
    },
    agreedTransfersIn: async block => {
      const answers = await nodes.askEach([
        { method: 'eth_getBlockByNumber', params: [hex(block.number), false] },
        transfersAt({ blockHash: block.hash }),
      ])
      const read = answers.map(answer => readAgain(answer, block))
      const [first, ...others] = read
      if (!first) return undefined
      const spelling = spellAll(first)
      return others.every(other => other && spellAll(other) === spelling) ? first : undefined
    },
  }
}

const readAgain = (
  [header, logs]: readonly unknown[],
  { number, hash }: Cursor,
): readonly TransferLog[] | undefined => {
  if (header instanceof Error || logs instanceof Error) return undefined
  if (parseHeader(header, number)?.hash !== hash) return undefined
  const parsed = parseLogs(logs)
  return parsed.every(({ blockHash }) => blockHash === hash) ? parsed : undefined
}

const spellAll = (logs: readonly TransferLog[]): string =>
  logs
    .map(({ txHash, logIndex, token, from, to, amount }) => [txHash, logIndex, token, from, to, amount].join(' '))
    .sort()
    .join('\n')

/** An answer that is not what the method answers with. What it was is not repeated: it may be a megabyte. */
export class Garbled extends Error {
  override readonly name = 'Garbled'
  readonly reason = 'garbage'
  constructor(what: string) {
    super(`a node's answer is no ${what}`)
  }
}

const believed = (answer: unknown): unknown => {
  if (answer instanceof Error) throw answer
  return answer
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown, what: string): Fields => {
  if (typeof value !== 'object' || value === null) throw new Garbled(what)
  return value as Fields
}

const parseHeader = (value: unknown, asked: number): Header | undefined => {
  if (value === null) return undefined
  const block = fieldsOf(value, 'block')
  const number = parseNumber(block.number, 'block number')
  if (number !== asked) throw new Garbled('block that was asked for')
  const bloom = parseHex(block.logsBloom, 256, 'bloom')
  return {
    number,
    hash: parseHex(block.hash, 32, 'block hash'),
    parentHash: parseHex(block.parentHash, 32, 'parent hash'),
    minedAt: new Date(parseNumber(block.timestamp, 'time') * 1_000),
    mayHold: (address, topic) => isIn(bloom, address) && isIn(bloom, topic),
  }
}

const parseLogs = (value: unknown): TransferLog[] => {
  if (!Array.isArray(value)) throw new Garbled('list of logs')
  return value.flatMap(each => parseLog(fieldsOf(each, 'log')) ?? [])
}

/** Undefined for what is no transfer of a token that is counted: other tokens raise the same event otherwise. */
const parseLog = (log: Fields): TransferLog | undefined => {
  const topics = Array.isArray(log.topics) ? log.topics : []
  if (log.removed === true || topics.length !== 3 || topics[0] !== TRANSFER) return undefined
  const amount = BigInt(parseHex(log.data, 32, 'amount'))
  if (amount === 0n) return undefined
  return {
    txHash: parseHex(log.transactionHash, 32, 'transaction hash'),
    logIndex: parseNumber(log.logIndex, 'log index'),
    blockNumber: parseNumber(log.blockNumber, 'block number'),
    blockHash: parseHex(log.blockHash, 32, 'block hash'),
    token: parseHex(log.address, 20, 'address'),
    from: addressIn(topics[1]),
    to: addressIn(topics[2]),
    amount,
  }
}

const addressIn = (topic: unknown): string => `0x${parseHex(topic, 32, 'topic').slice(26)}`

const parseHex = (value: unknown, bytes: number, what: string): string => {
  if (typeof value !== 'string' || value.length !== 2 + 2 * bytes || !/^0x[0-9a-fA-F]*$/.test(value))
    throw new Garbled(what)
  return value.toLowerCase()
}

const parseNumber = (value: unknown, what: string): number => {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,14}$/i.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new Garbled(what)
  return number
}

const hex = (number: number): string => `0x${number.toString(16)}`

import { createHash } from 'node:crypto'
import type { TransferLog } from '../../../src/chain/chain-log.ts'
import {
  type Books,
  beginBooks,
  finalizeBlocks,
  findCursor,
  recordBlocks,
  rewindBlocks,
} from '../../../src/chain/watch/books.ts'
import { deepenPayments } from '../../../src/chain/watch/depth.ts'
import type { Sql } from '../../../src/postgres/connect.ts'

export const TOKEN = `0x${'a'.repeat(40)}`
export const SENDER = `0x${'5'.repeat(40)}`

/** A hash for whatever it is of. */
export const hashOf = (...parts: readonly (string | number)[]): string =>
  `0x${createHash('sha256').update(parts.join(' ')).digest('hex')}`

/** `token`: null for the chain's own coin. */
export type Sent = {
  readonly to: string
  readonly amount: bigint
  readonly token?: string | null
  readonly tx?: string
}

/** The books of a chain as its reader writes them, block by block. */
export const openLedger = async (sql: Sql, chainId = 31337, from = new Date()) => {
  let fork = 0
  let time = from.getTime()
  /** On every branch. */
  const logs: TransferLog[] = []
  const cursor = async (): Promise<Books> => {
    const found = await findCursor(sql, chainId)
    if (!found) throw new Error('the books have not begun')
    return found
  }
  await beginBooks(sql, chainId, { number: 100, hash: hashOf(chainId, 100, fork), minedAt: from })
  return {
    cursor,
    /** One block with these transfers in it, a second after the one before unless told otherwise. */
    block: async (
      sent: readonly Sent[] = [],
      minedAt = new Date(time + 1_000),
      isTold: (log: TransferLog) => boolean = () => true,
    ): Promise<number> => {
      time = minedAt.getTime()
      const at = await cursor()
      const number = at.number + 1
      const hash = hashOf(chainId, number, fork)
      const inBlock = sent.map(
        ({ to, amount, token = TOKEN, tx = hashOf('tx', number, fork) }, logIndex): TransferLog => ({
          ...{ txHash: tx, logIndex, blockNumber: number, blockHash: hash },
          ...{ token, from: SENDER, to, amount },
        }),
      )
      await recordBlocks(sql, chainId, at, { blocks: [{ number, hash, minedAt }], logs: inBlock.filter(isTold) })
      logs.push(...inBlock)
      return number
    },
    /** Two nodes have got as far. Answers how many payments waited for that. */
    deepen: async (): Promise<number> => {
      const { number } = await cursor()
      return deepenPayments(sql, { id: chainId }, { reached: async () => number })
    },
    /** Back to a block; what comes then is another branch. */
    rewind: async (to: number): Promise<void> => {
      await rewindBlocks(sql, chainId, await cursor(), to)
      fork++
    },
    /** All blocks become final; everything in them is found again, but for what is to be missing. */
    finalize: async (isThere: (log: TransferLog) => boolean = () => true): Promise<void> => {
      const at = await cursor()
      await finalizeBlocks(sql, chainId, at, {
        upTo: at.number,
        logs: logs.filter(isThere),
        askedAgain: logs.map(({ blockHash }) => blockHash),
      })
    },
  }
}

export type Ledger = Awaited<ReturnType<typeof openLedger>>

/** Gives a payment's address out, as picking an asset does. */
export const giveOut = async (sql: Sql, { actor, address }: { readonly actor: string; readonly address: string }) => {
  await sql`
    insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter)
    select ${address.toLowerCase()}, id, merchant_id, ${`0x${'7'.repeat(40)}`},
      (random() * 1e15)::bigint from payments where id = ${actor}`
}

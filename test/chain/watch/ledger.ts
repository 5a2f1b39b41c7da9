import { createHash } from 'node:crypto'
import type { TransferLog } from '../../../src/chain/chain-log.ts'
import {
  type ChainState,
  finalizeBlocks,
  findCursor,
  recordBlocks,
  rewindBlocks,
  startChainState,
} from '../../../src/chain/watch/chain-state.ts'
import { deepenPayments } from '../../../src/chain/watch/depth.ts'
import type { Sql } from '../../../src/postgres/connect.ts'

export const TOKEN = `0x${'a'.repeat(40)}`
export const SENDER = `0x${'5'.repeat(40)}`

/** A hash that depends on the parts. */
export const hashOf = (...parts: readonly (string | number)[]): string =>
  `0x${createHash('sha256').update(parts.join(' ')).digest('hex')}`

/** `token`: null for native currency. */
export type SentTransfer = {
  readonly to: string
  readonly amount: bigint
  readonly token?: string | null
  readonly tx?: string
}

/** A chain without a node: its blocks are recorded as by the reader, one by one. */
export const openLedger = async (sql: Sql, chainId = 31337, from = new Date()) => {
  let fork = 0
  let time = from.getTime()
  /** The transfers of all forks. */
  const logs: TransferLog[] = []
  const cursor = async (): Promise<ChainState> => {
    const found = await findCursor(sql, chainId)
    if (!found) throw new Error('the chain has no cursor')
    return found
  }
  await startChainState(sql, chainId, { number: 100, hash: hashOf(chainId, 100, fork), minedAt: from })
  return {
    cursor,
    /** Records a block with these transfers, one second after the last one unless given otherwise. */
    block: async (
      sent: readonly SentTransfer[] = [],
      minedAt = new Date(time + 1_000),
      isReported: (log: TransferLog) => boolean = () => true,
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
      await recordBlocks(sql, chainId, at, { blocks: [{ number, hash, minedAt }], logs: inBlock.filter(isReported) })
      logs.push(...inBlock)
      return number
    },
    /** Two nodes have reached the cursor. Returns the number of payments that waited for it. */
    deepen: async (): Promise<number> => {
      const { number } = await cursor()
      return deepenPayments(sql, { id: chainId }, { agreedHead: async () => number })
    },
    /** Rewinds to a block. The next blocks are on another fork. */
    rewind: async (to: number): Promise<void> => {
      await rewindBlocks(sql, chainId, await cursor(), to)
      fork++
    },
    /** Makes all blocks final. All their transfers are found again except those that `isThere` excludes. */
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

/** Issues a payment's deposit address, as picking an asset does. */
export const issueAddress = async (
  sql: Sql,
  { actor, address }: { readonly actor: string; readonly address: string },
) => {
  await sql`
    insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter)
    select ${address.toLowerCase()}, id, merchant_id, ${`0x${'7'.repeat(40)}`},
      (random() * 1e15)::bigint from payments where id = ${actor}`
}

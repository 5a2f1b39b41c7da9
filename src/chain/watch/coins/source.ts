import type { Rpc } from '../../rpc/rpc.ts'
import { type BalanceSource, openBalances } from './balance-source.ts'
import { openSent, type SentSource } from './sent-source.ts'

/** What a chain tells of its own coin. Every method throws rather than answer what it cannot vouch for. */
export type CoinSource = SentSource & BalanceSource

export const openCoinSource = (rpc: Rpc): CoinSource => ({ ...openSent(rpc), ...openBalances(rpc) })

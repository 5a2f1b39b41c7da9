import type { Rpc } from '../../rpc/rpc.ts'
import { type BalanceSource, openBalances } from './balance-source.ts'
import { type NativeTransferSource, openNativeTransfers } from './transfer-source.ts'

/** Queries for native currency. Every method throws rather than return something that is not certain. */
export type NativeSource = NativeTransferSource & BalanceSource

export const openNativeSource = (rpc: Rpc): NativeSource => ({ ...openNativeTransfers(rpc), ...openBalances(rpc) })

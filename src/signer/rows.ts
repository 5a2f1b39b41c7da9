import type { Hex } from 'viem'
import type { Row } from '../actors/command.ts'
import { type Fees, maxFeeOf, tipOf } from '../chain/rpc/fees.ts'

/** A signed transaction. */
export type SignedTransaction = {
  readonly signerId: string
  readonly chainId: number
  readonly nonce: number
  readonly attempt: number
  readonly raw: Hex
  readonly hash: Hex
  readonly gas: bigint
  readonly fees: Fees
}

export const nonceRow = ({ signerId, nonce }: SignedTransaction, refundId: string): Row => ({
  table: 'signer_nonces',
  row: { signer_id: signerId, nonce, refund_id: refundId, state: 'open' },
})

export const transactionRow = ({
  signerId,
  chainId,
  nonce,
  attempt,
  raw,
  hash,
  gas,
  fees,
}: SignedTransaction): Row => ({
  table: 'signed_transactions',
  row: {
    ...{ signer_id: signerId, nonce, attempt, chain_id: chainId, tx_hash: hash, raw, gas },
    ...{ max_fee: maxFeeOf(fees), tip: tipOf(fees) },
  },
})

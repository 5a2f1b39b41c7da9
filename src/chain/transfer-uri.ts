import { checksummed } from './checksum.ts'

export type TransferToAsk = {
  readonly chainId: number
  /** Null: native currency. */
  readonly tokenAddress: string | null
  readonly to: string
  /** Null: the payer enters the amount. */
  readonly amount: bigint | null
}

/**
 * The transfer as a link and QR code for wallets (EIP-681). The format has no place for data after the call, so a
 * refund that is paid by this link carries no id.
 */
export const transferUri = ({ chainId, tokenAddress, to, amount }: TransferToAsk): string => {
  if (tokenAddress === null) return `ethereum:${checksummed(to)}@${chainId}${amount === null ? '' : `?value=${amount}`}`
  const call = `ethereum:${checksummed(tokenAddress)}@${chainId}/transfer?address=${checksummed(to)}`
  return amount === null ? call : `${call}&uint256=${amount}`
}

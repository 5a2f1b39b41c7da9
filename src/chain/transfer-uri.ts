import { checksummed } from './checksum.ts'

export type TransferToAsk = {
  readonly chainId: number
  /** Null: the chain's own coin. */
  readonly tokenAddress: string | null
  readonly to: string
  /** Null: names none. */
  readonly amount: bigint | null
}

/**
 * What wallets understand as a link and in a QR code (EIP-681). It has no room for more behind a token's call: a
 * refund that is paid by its link carries no id.
 */
export const transferUri = ({ chainId, tokenAddress, to, amount }: TransferToAsk): string => {
  if (tokenAddress === null) return `ethereum:${checksummed(to)}@${chainId}${amount === null ? '' : `?value=${amount}`}`
  const call = `ethereum:${checksummed(tokenAddress)}@${chainId}/transfer?address=${checksummed(to)}`
  return amount === null ? call : `${call}&uint256=${amount}`
}

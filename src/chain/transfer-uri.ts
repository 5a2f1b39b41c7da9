import { checksummed } from './checksum.ts'

export type TransferToAsk = {
  readonly chainId: number
  /** Null: the chain's own coin. */
  readonly tokenAddress: string | null
  readonly to: string
  readonly amount: bigint
}

/**
 * What wallets understand as a link and in a QR code (EIP-681). It has no room for more behind a token's call: a
 * refund that is paid by its link carries no id.
 */
export const transferUri = ({ chainId, tokenAddress, to, amount }: TransferToAsk): string =>
  tokenAddress === null
    ? `ethereum:${checksummed(to)}@${chainId}?value=${amount}`
    : `ethereum:${checksummed(tokenAddress)}@${chainId}/transfer?address=${checksummed(to)}&uint256=${amount}`

import type { Chain } from '../chain/chain.ts'
import { checksummed } from '../chain/checksum.ts'
import { zeroAddress } from '../chain/zero.ts'
import type { HeldAmount, Total } from '../collect/waiting.ts'

/** Money that can be collected: one asset on one chain for one treasury. */
export const balanceRecord = (chain: Chain, treasury: string, total: Total) => ({
  object: 'balance',
  chainId: chain.id,
  network: chain.network,
  ...amountRecord(total),
  addresses: total.addresses,
  treasury: checksummed(treasury),
  livemode: chain.livemode,
})

export const amountRecord = ({ asset, token, decimals, amount }: HeldAmount) => ({
  asset,
  tokenAddress: token === zeroAddress ? null : checksummed(token),
  decimals,
  amount: String(amount),
})

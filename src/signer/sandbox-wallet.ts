import type { Hex } from 'viem'
import type { Refund } from '../../machines/refund.ts'
import { requireAddress } from '../chain/address.ts'
import { awaitMined, mint, setBalance } from '../sandbox/simulate/payer.ts'
import type { SigningServices } from './signing-services.ts'

const PLENTY = 1_000_000n

/** Funds a merchant's sandbox signer for a refund, with more than needed, so that the next refunds need not wait. */
export const fundSandboxWallet = async (
  { url, keepMining }: NonNullable<SigningServices['sandbox']>,
  address: Hex,
  { tokenAddress, amount }: Refund,
): Promise<void> => {
  using _mining = keepMining()
  await setBalance(url, address, PLENTY * 10n ** 18n + (tokenAddress === null ? 2n * amount : 0n))
  if (tokenAddress === null) return
  const token = requireAddress(tokenAddress)
  await awaitMined(url, [await mint(url, { token, to: address, amount: PLENTY * 10n ** 6n + amount })])
}

import type { Hex } from 'viem'
import type { Refund } from '../../machines/refund.ts'
import { requireAddress } from '../chain/address.ts'
import { mined, mint, setBalance } from '../sandbox/simulate/payer.ts'
import type { SigningDesk } from './desk.ts'

const PLENTY = 1_000_000n

/** Gives a merchant's signer in the sandbox what a refund takes, and more, so that the next ones need not wait. */
export const fillSandboxWallet = async (
  { url, busy }: NonNullable<SigningDesk['sandbox']>,
  address: Hex,
  { tokenAddress, amount }: Refund,
): Promise<void> => {
  using _mining = busy()
  await setBalance(url, address, PLENTY * 10n ** 18n + (tokenAddress === null ? 2n * amount : 0n))
  if (tokenAddress === null) return
  const token = requireAddress(tokenAddress)
  await mined(url, [await mint(url, { token, to: address, amount: PLENTY * 10n ** 6n + amount })])
}

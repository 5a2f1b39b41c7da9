import type { PaymentWithCrypto } from '../../api/calls.ts'
import { findChain } from '../shell/chains.ts'
import { useRefundTexts } from './texts.ts'

type SandboxWalletProps = { readonly payment: PaymentWithCrypto; readonly onAddress: (address: string) => void }

/** In the sandbox the wallet that has paid is the customer's. Elsewhere it can belong to an exchange, so it is not offered. */
export const UseSandboxWallet = ({ payment: { crypto }, onAddress }: SandboxWalletProps) => {
  const { start: texts } = useRefundTexts()
  if (crypto === null || !findChain(crypto.chainId ?? 0)?.isSandbox) return null
  const wallet = crypto.transfers.find(({ from, state }) => from !== null && state !== 'orphaned')?.from ?? null
  if (wallet === null) return null
  return (
    <div class="buttons">
      <button type="button" class="button button--small" onClick={() => onAddress(wallet)}>
        {texts.sandboxWallet}
      </button>
    </div>
  )
}

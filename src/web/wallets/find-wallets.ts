import type { Provider } from './wallet-steps.ts'

/** A wallet in this browser. */
export type AnnouncedWallet = {
  readonly id: string
  readonly name: string
  readonly icon: string | undefined
  readonly provider: Provider
}

type Search = {
  /** The name of a wallet that does not announce itself. */
  readonly legacyName: string
  readonly found: (wallet: AnnouncedWallet) => void
  /** The wallets had time to announce themselves. Others may still follow. */
  readonly waited?: () => void
}

/** More wallets than this are not shown: any extension can announce as many as it likes. */
const MOST_WALLETS = 8
const LEGACY_MS = 500

/**
 * Calls `found` once for each wallet in this browser. Wallets announce themselves with their name (EIP-6963). A wallet
 * without EIP-6963 may be at `window.ethereum`.
 */
export const findWallets = ({ legacyName, found, waited }: Search): void => {
  const known = new Set<string>()
  const add = (wallet: AnnouncedWallet) => {
    if (known.has(wallet.id) || known.size >= MOST_WALLETS) return
    known.add(wallet.id)
    found(wallet)
  }
  addEventListener('eip6963:announceProvider', event => {
    const wallet = walletIn((event as CustomEvent<unknown>).detail)
    if (wallet) add(wallet)
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  setTimeout(() => {
    const { ethereum } = window as { ethereum?: Provider }
    if (known.size === 0 && isProvider(ethereum))
      add({ id: 'ethereum', name: legacyName, icon: undefined, provider: ethereum })
    waited?.()
  }, LEGACY_MS)
}

const walletIn = (detail: unknown): AnnouncedWallet | undefined => {
  const { info, provider } = Object(detail)
  const { uuid, name, icon } = Object(info)
  if (typeof uuid !== 'string' || typeof name !== 'string' || !isProvider(provider)) return undefined
  const isImage = typeof icon === 'string' && /^data:image\/(png|svg\+xml|webp|jpeg|gif)[;,]/.test(icon)
  return { id: uuid, name: name.trim().slice(0, 40), icon: isImage ? icon : undefined, provider }
}

const isProvider = (provider: unknown): provider is Provider => typeof Object(provider).request === 'function'

/** A wallet in this browser (EIP-1193). */
export type WalletProvider = {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

const LEGACY_MS = 300

/**
 * Calls `found` once for each wallet in this browser. Wallets announce themselves with their name (EIP-6963). A wallet
 * without EIP-6963 may be at `window.ethereum`.
 */
export const findWallets = (found: (name: string, provider: WalletProvider) => void): void => {
  const known = new Set<WalletProvider>()
  const add = (name: unknown, provider: unknown) => {
    if (!isProvider(provider) || known.has(provider)) return
    known.add(provider)
    found(String(name).slice(0, 60), provider)
  }
  addEventListener('eip6963:announceProvider', event => {
    const { info, provider } = Object((event as CustomEvent<unknown>).detail)
    add(Object(info).name, provider)
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  setTimeout(() => {
    if (known.size === 0) add('Browser wallet', Object(window).ethereum)
  }, LEGACY_MS)
}

const isProvider = (provider: unknown): provider is WalletProvider => typeof Object(provider).request === 'function'

/**
 * Calls `found` once for each wallet in this browser. Wallets announce themselves with their name (EIP-6963). A wallet
 * without EIP-6963 may be at `window.ethereum` (EIP-1193).
 */
export const findWallets = found => {
  const known = new Set()
  const tell = (name, provider) => {
    if (!provider?.request || known.has(provider)) return
    known.add(provider)
    found(String(name).slice(0, 60), provider)
  }
  window.addEventListener('eip6963:announceProvider', ({ detail }) => tell(detail?.info?.name, detail?.provider))
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  setTimeout(() => {
    if (known.size === 0) tell('Browser wallet', window.ethereum)
  }, 300)
}

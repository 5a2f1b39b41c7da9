/**
 * Tells of every wallet in this browser, once each. By EIP-6963 every wallet says its name. One that does not know it
 * may be found where the oldest of them stand (EIP-1193).
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
    if (known.size === 0) tell('The wallet of this browser', window.ethereum)
  }, 300)
}

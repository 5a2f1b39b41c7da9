/**
 * When the part that has the focus is removed from `root`, such as a button that is replaced by its result or the row of a
 * record that is gone, `fallback` gets the focus. Otherwise the next Tab would begin at the top of the page.
 */
export const keepFocus = (root: Element, fallback: () => HTMLElement | null): (() => void) => {
  let last: Element | null = null
  const remember = () => {
    last = document.activeElement
  }
  const observer = new MutationObserver(() => {
    if (last === null || last.isConnected || document.activeElement !== document.body) return
    last = null
    fallback()?.focus({ preventScroll: true })
  })
  root.addEventListener('focusin', remember)
  observer.observe(root, { childList: true, subtree: true })
  return () => {
    root.removeEventListener('focusin', remember)
    observer.disconnect()
  }
}

import { useLocation } from 'preact-iso'

type Guard = (href: string) => boolean

let current: Guard | undefined
/** The address of the page that is guarded. */
let here = ''

const address = (): string => `${location.pathname}${location.search}`

/** Navigation that is not by a link asks here first: a page may hold something that is not saved. */
export const leaving = {
  /** A guard returns true if it has taken over. Returns the function that ends it. */
  guard: (guard: Guard): (() => void) => {
    current = guard
    here = address()
    return () => {
      if (current === guard) current = undefined
    }
  },
  isHeld: (href: string): boolean => current?.(href) ?? false,
}

// Listeners of the window are called in the order in which they were added, so this one is added before that of the router.
addEventListener('popstate', event => {
  if (!leaving.isHeld(address())) return
  event.stopImmediatePropagation()
  history.pushState(null, '', here)
})

/** Leads to a page of the dashboard, unless the page that is open holds it. */
export const useGo = (): ((href: string) => void) => {
  const { route } = useLocation()
  return href => {
    if (!leaving.isHeld(href)) route(href)
  }
}

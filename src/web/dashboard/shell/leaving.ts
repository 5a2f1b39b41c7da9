import { useLocation } from 'preact-iso'

type Guard = (href: string) => boolean

let current: Guard | undefined

/** Navigation that is not by a link asks here first: a page may hold something that is not saved. */
export const leaving = {
  /** A guard returns true if it has taken over. Returns the function that ends it. */
  guard: (guard: Guard): (() => void) => {
    current = guard
    return () => {
      if (current === guard) current = undefined
    }
  },
  isHeld: (href: string): boolean => current?.(href) ?? false,
}

/** Leads to a page of the dashboard, unless the page that is open holds it. */
export const useGo = (): ((href: string) => void) => {
  const { route } = useLocation()
  return href => {
    if (!leaving.isHeld(href)) route(href)
  }
}

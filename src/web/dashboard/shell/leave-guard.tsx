import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Dialog } from '../../parts/dialog.tsx'
import { leaving } from './leaving.ts'
import { useTexts } from './texts.ts'

/**
 * Asks before what was typed on a page is lost: by a link, a choice of a menu, the back button, or by closing the tab, about
 * which only the browser can ask.
 */
export const LeaveGuard = ({ when }: { readonly when: boolean }) => {
  const { leave } = useTexts()
  const { route } = useLocation()
  const [go, setGo] = useState<() => void>()
  const isAllowed = useRef(false)
  useEffect(() => {
    if (!when) return
    isAllowed.current = false
    const ask = (next: () => void): boolean => {
      if (isAllowed.current) return false
      setGo(() => next)
      return true
    }
    const unload = (event: BeforeUnloadEvent) => event.preventDefault()
    const click = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null
      const isOwn = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0
      if (!link || isOwn || link.target === '_blank' || link.origin !== location.origin || isSamePage(link)) return
      const href = `${link.pathname}${link.search}`
      const isInside = link.pathname.startsWith('/dashboard/')
      if (ask(() => (isInside ? route(href) : location.assign(link.href)))) {
        event.preventDefault()
        event.stopPropagation()
      }
    }
    addEventListener('beforeunload', unload)
    addEventListener('click', click, true)
    const stop = leaving.guard(href => ask(() => route(href)))
    return () => {
      removeEventListener('beforeunload', unload)
      removeEventListener('click', click, true)
      stop()
    }
  }, [when])
  return (
    <Dialog
      open={go !== undefined}
      title={leave.title}
      onClose={() => setGo(undefined)}
      footer={
        <>
          <button
            type="button"
            class="button button--danger"
            onClick={() => {
              isAllowed.current = true
              setGo(undefined)
              go?.()
            }}
          >
            {leave.yes}
          </button>
          <button type="button" class="button button--primary" onClick={() => setGo(undefined)}>
            {leave.no}
          </button>
        </>
      }
    >
      <p>{leave.what}</p>
    </Dialog>
  )
}

const isSamePage = (link: HTMLAnchorElement): boolean =>
  link.pathname === location.pathname && link.search === location.search

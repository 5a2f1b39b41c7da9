import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { keepFocus } from '../../parts/keep-focus.ts'
import { ShopContext } from './shop.ts'
import { useTexts } from './texts.ts'

type PageHeadProps = {
  readonly title: string
  /** Instead of the title, for the eyes. */
  readonly heading?: ComponentChildren
  readonly lead?: ComponentChildren
  /** The list that this page belongs to. */
  readonly back?: { readonly href: string; readonly label: string }
  readonly actions?: ComponentChildren
}

/** The path whose heading had the focus last; undefined before the first page. */
let lastPath: string | undefined

/** The heading of a page. It gets the focus after a navigation, so that a screen reader begins there. */
export const PageHead = ({ title, heading, lead, back, actions }: PageHeadProps) => {
  const ref = useRef<HTMLHeadingElement>(null)
  useTitle(title)
  useLayoutEffect(() => {
    const { pathname } = location
    if (lastPath !== undefined && lastPath !== pathname) ref.current?.focus({ preventScroll: true })
    lastPath = pathname
    const main = ref.current?.closest('main')
    return main ? keepFocus(main, () => ref.current) : undefined
  }, [])
  return (
    <>
      {back && (
        <a class="crumb" href={back.href}>
          <Icon name="left" small />
          {back.label}
        </a>
      )}
      <div class="head">
        <div class="head__text">
          <h1 ref={ref} tabIndex={-1}>
            {heading ?? title}
          </h1>
          {lead !== undefined && <div class="head__lead">{lead}</div>}
        </div>
        {actions !== undefined && <div class="buttons">{actions}</div>}
      </div>
    </>
  )
}

/** The title of the tab: what is open, of which shop, and whether it is a test. */
const useTitle = (title: string) => {
  const texts = useTexts()
  const shop = useContext(ShopContext)
  const whole = `${title} – ${shop ? shop.merchant.name : texts.product}`
  const shown = shop && !shop.livemode ? texts.testTitle(whole) : whole
  useEffect(() => {
    document.title = shown
  }, [shown])
}

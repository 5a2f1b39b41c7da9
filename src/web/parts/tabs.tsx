import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

export type Tab = { readonly key: string; readonly label: string; readonly count?: number }

type TabsProps = {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly selected: string
  readonly onSelect: (key: string) => void
  /** There is room for all panels: they are shown without tabs. The panels are the same elements, and keep their focus. */
  readonly flat?: boolean
  /** The panel of the selected tab. */
  readonly children: ComponentChildren
}

/** Tabs within a page. Arrow keys select at once: panels are cheap to show. */
export const Tabs = ({ label, tabs, selected, onSelect, flat = false, children }: TabsProps) => {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const select = (n: number) => {
    const tab = tabs.at(n % tabs.length)
    if (!tab) return
    onSelect(tab.key)
    list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(tab.key)}"]`)?.focus()
  }
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ key }) => key === selected)
    const forward = list.current && getComputedStyle(list.current).direction === 'rtl' ? -1 : 1
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: at + forward,
      ArrowLeft: at - forward,
      Home: 0,
      End: -1,
    }
    const to = moves[event.key]
    if (to === undefined) return
    event.preventDefault()
    select(to)
  }
  return (
    <div class="tabbed">
      {!flat && (
        <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
          {tabs.map(({ key, label, count }) => (
            <button
              key={key}
              type="button"
              role="tab"
              id={`${id}-${key}`}
              data-key={key}
              aria-selected={key === selected}
              aria-controls={`${id}-panel`}
              tabIndex={key === selected ? 0 : -1}
              onClick={() => onSelect(key)}
            >
              {label}
              {count !== undefined && <span class="num">{count}</span>}
            </button>
          ))}
        </div>
      )}
      <div id={`${id}-panel`} {...(!flat && { role: 'tabpanel', 'aria-labelledby': `${id}-${selected}`, tabIndex: 0 })}>
        {children}
      </div>
    </div>
  )
}

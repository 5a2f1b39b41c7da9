import { type ComponentChildren, Fragment } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { placeBelow } from './place.ts'

export type MenuItem = {
  readonly label: string
  readonly onSelect: () => void
  /** It cannot be undone. */
  readonly danger?: boolean
  /** It is shown, so that people know it exists, and does nothing. */
  readonly disabled?: boolean
  /** A line above it separates it from the items of another kind. */
  readonly startsGroup?: boolean
}

type MenuProps = {
  /** The name of the button, if its content has no words. */
  readonly label?: string
  readonly children: ComponentChildren
  readonly items: readonly MenuItem[]
  readonly class?: string
}

/** A button that opens a menu of actions: the menu button pattern of WAI-ARIA. */
export const Menu = ({ label, children, items, class: look = 'button' }: MenuProps) => {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const typed = useRef({ text: '', at: 0 })

  const itemsNow = () => [...(menu.current?.querySelectorAll('[role=menuitem]') ?? [])]
  const focusAt = (n: number) => {
    const item = itemsNow().at(n % items.length)
    if (item instanceof HTMLElement) item.focus()
  }
  const isShown = () => menu.current?.matches(':popover-open') ?? false
  /** When the pointer went down: it closes the menu before the click. */
  const wasShown = useRef(false)
  const open = (first: number) => {
    if (!menu.current || !button.current) return
    typed.current = { text: '', at: 0 }
    menu.current.showPopover()
    placeBelow(menu.current, button.current, { align: 'end' })
    focusAt(first)
  }
  const close = () => {
    menu.current?.hidePopover()
    button.current?.focus()
  }
  const choose = ({ disabled, onSelect }: MenuItem) => {
    if (disabled) return
    close()
    onSelect()
  }
  /** Moves to the next item that begins with what was typed within a second; one letter again goes to the next one. */
  const find = (letter: string, from: number, at: number) => {
    const all = (at - typed.current.at < 1_000 ? typed.current.text : '') + letter.toLowerCase()
    const isOneLetter = all.replaceAll(all.charAt(0), '') === ''
    const text = isOneLetter ? all.charAt(0) : all
    typed.current = { text, at }
    const places = items.map((_, n) => (from + n + (isOneLetter ? 1 : 0)) % items.length)
    const found = places.find(n => items[n]?.label.toLowerCase().startsWith(text))
    if (found !== undefined) focusAt(found)
  }
  const move = (event: KeyboardEvent) => {
    const at = itemsNow().indexOf(document.activeElement ?? document.body)
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focusAt(at + 1),
      ArrowUp: () => focusAt(at - 1),
      Home: () => focusAt(0),
      End: () => focusAt(-1),
      Escape: close,
    }
    const step = moves[event.key]
    // The focus goes on from the button, not from the menu.
    if (event.key === 'Tab') close()
    else if (step) step()
    else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey)
      find(event.key, at, event.timeStamp)
    else return
    if (event.key !== 'Tab') event.preventDefault()
    event.stopPropagation()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        class={look}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onPointerDown={() => {
          wasShown.current = isShown()
        }}
        // The event that says that it was closed comes later: Enter right after Escape opens it again.
        onClick={({ detail }) => ((detail > 0 ? wasShown.current : isShown()) ? close() : open(0))}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          open(event.key === 'ArrowDown' ? 0 : -1)
        }}
      >
        {children}
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        role="menu"
        popover="auto"
        aria-label={label}
        onToggle={event => setOpen(event.newState === 'open')}
        onKeyDown={move}
      >
        {items.map((item, n) => (
          <Fragment key={item.label}>
            {item.startsGroup && n > 0 && <hr />}
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={item.danger ? 'menu__item menu__item--danger' : 'menu__item'}
              aria-disabled={item.disabled}
              onClick={() => choose(item)}
            >
              {item.label}
            </button>
          </Fragment>
        ))}
      </div>
    </>
  )
}

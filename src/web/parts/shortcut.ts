import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** False: shortcuts of one key do nothing. People who control a page by voice need that. */
export const singleKeys = signal(true)

/**
 * Runs `act` when the key is pressed anywhere on the page: a single one such as `j`, or `Ctrl K`, which is `⌘ K` on a Mac.
 * Not while a dialog is open; a single key also not while people type.
 */
export const useShortcut = (shortcut: string, act: () => unknown): void => {
  const latest = useRef(act)
  latest.current = act
  // Before it is drawn: a key that is pressed as soon as a list is seen is not lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isPressed(shortcut, event) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [shortcut])
}

const isPressed = (shortcut: string, { key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean => {
  if (shortcut.startsWith('Ctrl ')) return (ctrlKey || metaKey) && !altKey && key.toUpperCase() === shortcut.slice(5)
  return key === shortcut && !ctrlKey && !metaKey && !altKey && singleKeys.value && !isTyping(target)
}

/** Single letters are no shortcuts where people type. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

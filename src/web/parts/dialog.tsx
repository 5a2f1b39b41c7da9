import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { keepFocus } from './keep-focus.ts'
import { useReader } from './reader.ts'

type DialogProps = {
  readonly open: boolean
  readonly title: string
  readonly lead?: ComponentChildren
  readonly children?: ComponentChildren
  /** Buttons: the one that does it stands last. */
  readonly footer?: ComponentChildren
  readonly wide?: boolean
  /** False: only its own buttons close it, for what is shown once. */
  readonly dismissible?: boolean
  readonly onClose: () => void
}

/**
 * A dialog over the page, by the element of the platform: the page under it is inert, and focus returns to the opener.
 * Focus begins at the first field to fill in; without one at the heading, so that it is read from the beginning.
 */
export const Dialog = ({ open, title, lead, children, footer, wide, dismissible = true, onClose }: DialogProps) => {
  const { texts } = useReader()
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  const dismiss = () => {
    if (dismissible) onClose()
  }
  const leave = useRef(dismiss)
  leave.current = dismiss

  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog || !open) return
    dialog.showModal()
    const first = dialog.querySelector<HTMLElement>('.dialog__body :is(input:not([type=checkbox]), select, textarea)')
    const heading = dialog.querySelector<HTMLElement>('h2')
    const stopKeeping = keepFocus(dialog, () => heading)
    const begin = first ?? heading
    begin?.focus()
    // Back can lead to other filters of the same page.
    const back = () => leave.current()
    addEventListener('popstate', back)
    return () => {
      stopKeeping()
      removeEventListener('popstate', back)
      dialog.close()
      // What opened it may be gone, such as the row of a deleted record. Its focus must not be lost.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.querySelector('h1')?.focus()
      })
    }
  }, [open])

  return (
    <dialog
      ref={ref}
      class={wide ? 'dialog dialog--wide' : 'dialog'}
      aria-labelledby={`${id}-title`}
      aria-describedby={lead === undefined ? undefined : `${id}-lead`}
      onCancel={event => {
        // The state of the page closes it, not the browser.
        event.preventDefault()
        dismiss()
      }}
      onKeyDown={event => {
        // A second Escape without a click in between would close it in spite of `cancel`.
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        dismiss()
      }}
      onPointerDown={event => {
        if (event.target === event.currentTarget && isOutside(event.currentTarget, event)) dismiss()
      }}
    >
      {open && (
        <>
          <header class="dialog__head">
            <div>
              <h2 id={`${id}-title`} tabIndex={-1}>
                {title}
              </h2>
              {lead !== undefined && <p id={`${id}-lead`}>{lead}</p>}
            </div>
            {dismissible && (
              <button type="button" class="icon-button" aria-label={texts.close} onClick={onClose}>
                <Icon name="close" />
              </button>
            )}
          </header>
          <div class="dialog__body">{children}</div>
          {footer !== undefined && <footer class="dialog__foot">{footer}</footer>}
        </>
      )}
    </dialog>
  )
}

/** The backdrop belongs to the dialog: a click beside its box is one on the dialog itself. */
const isOutside = (dialog: HTMLElement, { clientX, clientY }: PointerEvent): boolean => {
  const { left, right, top, bottom } = dialog.getBoundingClientRect()
  return clientX < left || clientX > right || clientY < top || clientY > bottom
}

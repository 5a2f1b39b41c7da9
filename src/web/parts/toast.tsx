import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { useReader } from './reader.ts'

type Shown = { readonly id: number; readonly text: string; readonly action?: ToastAction }

/** Such as undo. It must be possible elsewhere too: a toast goes away. */
type ToastAction = { readonly label: string; readonly onSelect: () => void }

const shown = signal<readonly Shown[]>([])
let lastId = 0

/** Says that something was done. What went wrong is said where it went wrong, not here. */
export const showToast = (text: string, action?: ToastAction): void => {
  lastId++
  // More than three would cover the page.
  shown.value = [...shown.value, { id: lastId, text, ...(action && { action }) }].slice(-3)
}

const dismiss = (id: number) => {
  shown.value = shown.value.filter(each => each.id !== id)
}

const SHOWN_MS = 6_000

/** Once in each page. It is in the top layer, so that toasts are seen over dialogs. */
export const Toasts = () => {
  const ref = useRef<HTMLDivElement>(null)
  const count = shown.value.length
  useEffect(() => {
    // Opened again, it comes above a dialog that was opened after it.
    ref.current?.hidePopover()
    if (count > 0) ref.current?.showPopover()
  }, [count])
  return (
    <div ref={ref} class="toast-stack" role="status" popover="manual">
      {shown.value.map(toast => (
        <ToastLine key={toast.id} {...toast} />
      ))}
    </div>
  )
}

/** It stays as long as the pointer or the focus is on it. */
const ToastLine = ({ id, text, action }: Shown) => {
  const { texts } = useReader()
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!line.current?.matches(':hover, :focus-within')) dismiss(id)
    }, SHOWN_MS)
    return () => clearInterval(timer)
  }, [id])
  return (
    <div ref={line} class="toast">
      <Icon name="check" small />
      <span>{text}</span>
      {action && (
        <button
          type="button"
          class="toast__action"
          onClick={() => {
            dismiss(id)
            action.onSelect()
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" class="toast__close" aria-label={texts.dismiss} onClick={() => dismiss(id)}>
        <Icon name="close" small />
      </button>
    </div>
  )
}

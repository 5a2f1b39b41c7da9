import type { ComponentChildren } from 'preact'
import type { Action } from './action.ts'

type SubmitProps = {
  readonly action: Action
  readonly children: ComponentChildren
  readonly wide?: boolean
  readonly danger?: boolean
  /** The form that it sends, if it is not inside of it. */
  readonly form?: string
}

/** The button that sends a form. It stays focusable while the request is under way. */
export const Submit = ({ action, children, wide, danger, form }: SubmitProps) => (
  <button
    type="submit"
    form={form}
    class={['button', danger ? 'button--danger-full' : 'button--primary', wide && 'button--wide']
      .filter(Boolean)
      .join(' ')}
    aria-disabled={action.isRunning}
  >
    {children}
  </button>
)

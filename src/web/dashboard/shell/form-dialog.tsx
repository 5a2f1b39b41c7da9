import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import type { Action } from './action.ts'
import { shownFailure } from './failure.ts'
import { focusWrong } from './focus-wrong.ts'
import { Submit } from './submit.tsx'

type FormDialogProps = {
  readonly open: boolean
  readonly title: string
  /** The fields. */
  readonly children: ComponentChildren
  readonly no: string
  readonly yes: string
  readonly wide?: boolean
  readonly danger?: boolean
  /** What a failure means here, in addition to the sentence of its code. */
  readonly explain?: (error: unknown) => string | undefined
  /** The failure is shown at a field instead. */
  readonly isAtField?: boolean
  /** Of the request. A failure is shown below the fields, and the dialog stays open. */
  readonly action: Action
  readonly onSubmit: () => Promise<void>
  readonly onClose: () => void
}

/** A form in a dialog: its fields, and two buttons below them. */
export const FormDialog = ({
  open,
  title,
  children,
  no,
  yes,
  wide = false,
  danger = false,
  explain,
  isAtField = false,
  action,
  onSubmit,
  onClose,
}: FormDialogProps) => {
  const form = useId()
  return (
    <Dialog
      open={open}
      title={title}
      wide={wide}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            {no}
          </button>
          <Submit action={action} form={form} danger={danger}>
            {yes}
          </Submit>
        </>
      }
    >
      <form
        id={form}
        class="form"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          const fields = event.currentTarget
          void onSubmit().then(() => requestAnimationFrame(() => focusWrong(fields)))
        }}
      >
        {children}
        {action.error !== undefined && !isAtField && (
          <ErrorNote failure={shownFailure(action.error)}>{explain?.(action.error)}</ErrorNote>
        )}
      </form>
    </Dialog>
  )
}

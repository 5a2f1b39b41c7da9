import type { ComponentChildren } from 'preact'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useAction } from './action.ts'
import { shownFailure } from './failure.ts'

type ConfirmProps = {
  readonly open: boolean
  readonly title: string
  /** What happens, also to the money. */
  readonly children: ComponentChildren
  readonly no: string
  /** Undefined: it cannot be done now, and the content says why. */
  readonly yes: string | undefined
  readonly danger?: boolean
  /** What a failure means here, in addition to the sentence of its code. */
  readonly explain?: (error: unknown) => string | undefined
  /** Resolves when it is done. */
  readonly onYes: () => Promise<void>
  readonly onClose: () => void
}

/** Asks before something that cannot be undone. A failure is shown in the dialog, which stays open. */
export const Confirm = ({ open, title, children, no, yes, danger, explain, onYes, onClose }: ConfirmProps) => {
  const action = useAction()
  const close = () => {
    action.reset()
    onClose()
  }
  const confirm = async () => {
    if (await action.run(onYes)) close()
  }
  return (
    <Dialog
      open={open}
      title={title}
      onClose={close}
      footer={
        <>
          <button type="button" class="button" onClick={close}>
            {no}
          </button>
          {yes !== undefined && (
            <button
              type="button"
              class={danger ? 'button button--danger-full' : 'button button--primary'}
              aria-disabled={action.isRunning}
              onClick={confirm}
            >
              {yes}
            </button>
          )}
        </>
      }
    >
      <div>{children}</div>
      {action.error !== undefined && yes !== undefined && (
        <ErrorNote failure={shownFailure(action.error)}>{explain?.(action.error)}</ErrorNote>
      )}
    </Dialog>
  )
}

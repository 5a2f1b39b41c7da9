import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useSecretsTexts } from './texts.ts'

type SecretDialogProps = {
  /** Undefined: there is nothing to show. */
  readonly secret: string | undefined
  readonly title: string
  readonly lead: string
  readonly children?: ComponentChildren
  readonly onClose: () => void
}

/** A secret that is shown once. The dialog closes only after its reader says that it is stored. */
export const SecretDialog = ({ secret, title, lead, children, onClose }: SecretDialogProps) => {
  const texts = useSecretsTexts()
  const [isStored, setStored] = useState(false)
  const close = () => {
    setStored(false)
    onClose()
  }
  return (
    <Dialog
      open={secret !== undefined}
      title={title}
      lead={lead}
      dismissible={false}
      wide
      onClose={close}
      footer={
        <button
          type="button"
          class="button button--primary"
          aria-disabled={!isStored}
          onClick={() => isStored && close()}
        >
          {texts.done}
        </button>
      }
    >
      <div class="secret">
        <code data-testid="secret">{secret}</code>
        <CopyButton value={secret ?? ''} what={texts.secret}>
          {texts.copy}
        </CopyButton>
      </div>
      {children}
      <label class="check">
        <input type="checkbox" checked={isStored} onInput={event => setStored(event.currentTarget.checked)} />
        <span>{texts.stored}</span>
      </label>
    </Dialog>
  )
}

import { useState } from 'preact/hooks'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useSecretsTexts } from '../secrets/texts.ts'
import { saveFile } from '../shell/download.ts'
import { useShop } from '../shell/shop.ts'
import { useAccountTexts } from './texts.ts'

type RecoveryCodesDialogProps = { readonly codes: readonly string[]; readonly onClose: () => void }

/** The recovery codes, once. The dialog closes only after its reader says that they are stored. */
export const RecoveryCodesDialog = ({ codes, onClose }: RecoveryCodesDialogProps) => {
  const texts = useAccountTexts()
  const { stored, done } = useSecretsTexts()
  const { account } = useShop()
  const [isStored, setStored] = useState(false)
  const text = codes.join('\n')
  const save = () =>
    saveFile(
      'paymachine-recovery-codes.txt',
      'text/plain',
      `${texts.fileHead(account.user.email, location.host)}\n\n${text}\n`,
    )
  return (
    <Dialog
      open
      title={texts.codesTitle}
      lead={texts.codesWhat}
      dismissible={false}
      wide
      onClose={onClose}
      footer={
        <button
          type="button"
          class="button button--primary"
          aria-disabled={!isStored}
          onClick={() => isStored && onClose()}
        >
          {done}
        </button>
      }
    >
      <div class="secret">
        <ul class="codes" aria-label={texts.codes}>
          {codes.map(code => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div class="buttons">
          <CopyButton value={text} what={texts.codes}>
            {texts.copyCodes}
          </CopyButton>
          <button type="button" class="button" onClick={save}>
            <Icon name="download" />
            {texts.download}
          </button>
        </div>
      </div>
      <label class="check">
        <input type="checkbox" checked={isStored} onInput={event => setStored(event.currentTarget.checked)} />
        <span>{stored}</span>
      </label>
    </Dialog>
  )
}

import type { MfaSetup } from '../../api/calls.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { showToast } from '../../parts/toast.tsx'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useShop } from '../shell/shop.ts'
import { CodeField, useCode } from './code-field.tsx'
import { useAccountTexts } from './texts.ts'

type MfaSetupDialogProps = {
  readonly setup: MfaSetup
  readonly onClose: () => void
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void
}

/** The secret for the authenticator app. A code from the app proves that it has arrived there. */
export const MfaSetupDialog = ({ setup: { secret, otpauthUrl }, onClose, onConfirmed }: MfaSetupDialogProps) => {
  const texts = useAccountTexts()
  const { session } = useShop()
  const { action, submit, field } = useCode()
  const confirm = async (code: string) => {
    const { recoveryCodes } = await session.call('confirmMfa', { code })
    onConfirmed(recoveryCodes)
    showToast(texts.turnedOn)
    await session.reload()
  }
  return (
    <FormDialog
      open
      title={texts.setUp}
      no={texts.cancel}
      yes={texts.turnOn}
      action={action}
      onSubmit={() => submit(confirm)}
      onClose={onClose}
    >
      <p>{texts.setUpWhat}</p>
      <div class="secret secret--beside">
        <QrCode text={otpauthUrl} label={texts.qr} />
        <div>
          <p class="quiet">{texts.secretWhat}</p>
          <code data-testid="mfa-secret">{secret.replace(/.{4}(?=.)/g, '$& ')}</code>
          <CopyButton value={secret} what={texts.secret}>
            {texts.copySecret}
          </CopyButton>
        </div>
      </div>
      <CodeField label={texts.code} hint={texts.codeHint} numeric {...field} />
    </FormDialog>
  )
}

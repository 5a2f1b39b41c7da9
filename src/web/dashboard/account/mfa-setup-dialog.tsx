import { useState } from 'preact/hooks'
import type { MfaSetup } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { TextField } from '../../parts/field.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { errorSentence } from '../../text/errors/texts.ts'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useShop } from '../shell/shop.ts'
import { useAccountTexts } from './texts.ts'

type MfaSetupDialogProps = {
  readonly setup: MfaSetup
  readonly onClose: () => void
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void
}

/** The secret for the authenticator app. A code from the app proves that it has arrived there. */
export const MfaSetupDialog = ({ setup: { secret, otpauthUrl }, onClose, onConfirmed }: MfaSetupDialogProps) => {
  const texts = useAccountTexts()
  const { locale } = useReader()
  const { session } = useShop()
  const action = useAction()
  const [code, setCode] = useState('')
  const [isChecked, setChecked] = useState(false)
  const isWrong = action.error instanceof ApiError && action.error.code === 'invalid_mfa_code'
  const submit = async () => {
    setChecked(true)
    if (code.trim() === '') return
    await action.run(async () => {
      const { recoveryCodes } = await session.call('confirmMfa', { code: code.trim() })
      onConfirmed(recoveryCodes)
      showToast(texts.turnedOn)
      await session.reload()
    })
  }
  return (
    <FormDialog
      open
      title={texts.setUp}
      no={texts.cancel}
      yes={texts.turnOn}
      action={isWrong ? { ...action, error: undefined } : action}
      onSubmit={submit}
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
      <TextField
        label={texts.code}
        name="code"
        autocomplete="one-time-code"
        inputMode="numeric"
        spellcheck={false}
        maxLength={10}
        hint={texts.codeHint}
        value={code}
        onInput={event => setCode(event.currentTarget.value)}
        error={
          isChecked && code.trim() === ''
            ? texts.codeEmpty
            : isWrong
              ? errorSentence('invalid_mfa_code', locale)
              : undefined
        }
      />
    </FormDialog>
  )
}

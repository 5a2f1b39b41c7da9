import { useState } from 'preact/hooks'
import { ApiError } from '../../api/request.ts'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { errorSentence } from '../../text/errors/texts.ts'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { PasswordField } from '../shell/password-field.tsx'
import { useRefresh } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { useShop } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { SHORTEST_PASSWORD } from './sign-up-form.tsx'
import { useAccountTexts } from './texts.ts'

export const ChangePassword = () => {
  const texts = useAccountTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={texts.password}>
      <div class="setting">
        <p>{texts.passwordWhat}</p>
        <div class="buttons">
          <button type="button" class="button" onClick={() => setOpen(true)}>
            {texts.changePassword}
          </button>
        </div>
      </div>
      {isOpen && <PasswordDialog onClose={() => setOpen(false)} />}
    </Section>
  )
}

const PasswordDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const texts = useAccountTexts()
  const { door } = useTexts()
  const { locale } = useReader()
  const { session } = useShop()
  const refresh = useRefresh()
  const action = useAction()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const [isChecked, setChecked] = useState(false)
  const refused = action.error instanceof ApiError ? action.error : undefined
  const isWrong = refused?.code === 'invalid_credentials'
  const isWeak = refused?.param === 'newPassword'
  const submit = async () => {
    setChecked(true)
    if (currentPassword === '' || newPassword.length < SHORTEST_PASSWORD) return
    await action.run(async () => {
      await session.call('changePassword', { currentPassword, newPassword })
      await refresh('sessions')
      showToast(texts.passwordChanged)
      onClose()
    })
  }
  return (
    <FormDialog
      open
      title={texts.changePassword}
      no={texts.cancel}
      yes={texts.changePassword}
      action={isWrong || isWeak ? { ...action, error: undefined } : action}
      onSubmit={submit}
      onClose={onClose}
    >
      <PasswordField
        label={texts.currentPassword}
        autocomplete="current-password"
        value={currentPassword}
        onValue={setCurrent}
        error={
          isChecked && currentPassword === ''
            ? door.passwordEmpty
            : isWrong
              ? errorSentence('invalid_credentials', locale)
              : undefined
        }
      />
      <PasswordField
        label={texts.newPassword}
        autocomplete="new-password"
        hint={door.newPasswordHint}
        value={newPassword}
        onValue={setNew}
        error={
          isChecked && newPassword.length < SHORTEST_PASSWORD
            ? door.passwordShort
            : isWeak
              ? texts.passwordWeak
              : undefined
        }
      />
    </FormDialog>
  )
}

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { TextField } from '../../parts/field.tsx'
import { SHORTEST_PASSWORD } from '../account/sign-up-form.tsx'
import type { Action } from '../shell/action.ts'
import { PasswordField } from '../shell/password-field.tsx'
import { Submit } from '../shell/submit.tsx'
import { useTexts } from '../shell/texts.ts'
import { useInviteTexts } from './texts.ts'

type NewMemberProps = {
  readonly action: Action
  readonly emailHint: string | undefined
  /** Why it was refused. */
  readonly children: ComponentChildren
  readonly onSubmit: (given: { readonly email: string; readonly password: string }) => Promise<unknown>
}

/** An account for an invited person. It comes without a shop of its own. */
export const NewMember = ({ action, emailHint, children, onSubmit }: NewMemberProps) => {
  const texts = useInviteTexts()
  const { door } = useTexts()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  return (
    <form
      class="form"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        setChecked(true)
        if (email.trim() !== '' && password.length >= SHORTEST_PASSWORD)
          void onSubmit({ email: email.trim(), password })
      }}
    >
      <TextField
        label={door.email}
        type="email"
        name="email"
        autocomplete="username"
        hint={emailHint}
        value={email}
        onInput={event => setEmail(event.currentTarget.value)}
        error={isChecked && email.trim() === '' ? door.emailEmpty : undefined}
      />
      <PasswordField
        label={door.password}
        autocomplete="new-password"
        hint={door.newPasswordHint}
        value={password}
        onValue={setPassword}
        error={isChecked && password.length < SHORTEST_PASSWORD ? door.passwordShort : undefined}
      />
      {children}
      <Submit action={action} wide>
        {texts.create}
      </Submit>
    </form>
  )
}

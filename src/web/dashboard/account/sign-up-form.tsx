import { useState } from 'preact/hooks'
import { ApiError } from '../../api/request.ts'
import type { Session } from '../../api/session.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { TextField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { errorSentence } from '../../text/errors/texts.ts'
import { useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { PasswordField } from '../shell/password-field.tsx'
import { Submit } from '../shell/submit.tsx'
import { useTexts } from '../shell/texts.ts'

/** The shortest password that the server accepts. */
export const SHORTEST_PASSWORD = 10

type SignUpFormProps = { readonly session: Session; readonly needsCode: boolean }

/** An account and its first shop. */
export const SignUpForm = ({ session, needsCode }: SignUpFormProps) => {
  const { door } = useTexts()
  const { locale } = useReader()
  const [merchantName, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [signUpCode, setCode] = useState('')
  const [isChecked, setChecked] = useState(false)
  const action = useAction()
  const refused = action.error instanceof ApiError ? action.error : undefined
  const isTaken = refused?.code === 'email_taken' || refused?.param === 'email'

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setChecked(true)
    if (merchantName.trim() === '' || email === '' || password.length < SHORTEST_PASSWORD) return
    await action.run(() =>
      session.enter('signUp', {
        ...{ email, password, merchantName: merchantName.trim() },
        ...(needsCode && { signUpCode: signUpCode.trim() }),
      }),
    )
  }

  return (
    <form class="form" onSubmit={submit} noValidate>
      <TextField
        label={door.shopName}
        name="organization"
        autocomplete="organization"
        maxLength={200}
        hint={door.shopNameHint}
        value={merchantName}
        onInput={event => setName(event.currentTarget.value)}
        error={isChecked && merchantName.trim() === '' ? door.nameEmpty : undefined}
      />
      <TextField
        label={door.email}
        type="email"
        name="email"
        autocomplete="username"
        value={email}
        onInput={event => setEmail(event.currentTarget.value)}
        error={
          isChecked && email === '' ? door.emailEmpty : isTaken ? errorSentence(refused?.code ?? '', locale) : undefined
        }
      />
      <PasswordField
        label={door.password}
        autocomplete="new-password"
        hint={door.newPasswordHint}
        value={password}
        onValue={setPassword}
        error={isChecked && password.length < SHORTEST_PASSWORD ? door.passwordShort : undefined}
      />
      {needsCode && (
        <TextField
          label={door.signUpCode}
          name="sign-up-code"
          autocomplete="off"
          spellcheck={false}
          hint={door.signUpCodeHint}
          value={signUpCode}
          onInput={event => setCode(event.currentTarget.value)}
        />
      )}
      {refused && !isTaken && <ErrorNote failure={shownFailure(refused)} />}
      {action.error !== undefined && !refused && <ErrorNote failure={shownFailure(action.error)} />}
      <Submit action={action} wide>
        {door.signUp}
      </Submit>
    </form>
  )
}

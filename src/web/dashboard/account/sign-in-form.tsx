import { useEffect, useRef, useState } from 'preact/hooks'
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

type SignInFormProps = {
  readonly session: Session
  readonly email?: string
  /** The word on the button. */
  readonly submit?: string
  readonly onSignedIn: () => void
}

/** E-mail and password; the code of the second factor only when the server asks for it. */
export const SignInForm = ({ session, email: known = '', submit: word, onSignedIn }: SignInFormProps) => {
  const texts = useTexts()
  const { locale } = useReader()
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string>()
  const [isChecked, setChecked] = useState(false)
  const action = useAction()
  const refused = action.error instanceof ApiError ? action.error.code : undefined
  const isOfField = refused === 'invalid_credentials' || refused === 'invalid_mfa_code' || refused === 'mfa_required'
  const sentence = (given: string) => (refused === given ? errorSentence(given, locale) : undefined)

  const form = useRef<HTMLFormElement>(null)
  const hasCode = code !== undefined
  useEffect(() => {
    // The first field that is still empty, when the form or the field of the code appears.
    const next = hasCode ? 'code' : known !== '' ? 'password' : undefined
    if (next) form.current?.querySelector<HTMLElement>(`[name=${next}]`)?.focus()
  }, [hasCode])

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setChecked(true)
    if (email === '' || password === '') return
    const done = await action.run(async () => {
      try {
        await session.enter('signIn', { email, password, ...(code !== undefined && { code: code.trim() }) })
      } catch (error) {
        // The account has a second factor: the field for its code appears.
        if (error instanceof ApiError && error.code === 'mfa_required') return setCode('')
        throw error
      }
    })
    if (done && session.state.peek().phase === 'signed_in') onSignedIn()
  }

  return (
    <form ref={form} class="form" onSubmit={submit} noValidate>
      <TextField
        label={texts.door.email}
        type="email"
        name="email"
        autocomplete="username"
        value={email}
        onInput={event => setEmail(event.currentTarget.value)}
        error={isChecked && email === '' ? texts.door.emailEmpty : undefined}
      />
      <PasswordField
        label={texts.door.password}
        autocomplete="current-password"
        value={password}
        onValue={setPassword}
        error={isChecked && password === '' ? texts.door.passwordEmpty : sentence('invalid_credentials')}
      />
      {hasCode && (
        <TextField
          label={texts.door.code}
          name="code"
          autocomplete="one-time-code"
          spellcheck={false}
          value={code}
          onInput={event => setCode(event.currentTarget.value)}
          hint={texts.door.codeHint}
          error={sentence('invalid_mfa_code')}
        />
      )}
      {action.error !== undefined && !isOfField && <ErrorNote failure={shownFailure(action.error)} />}
      <Submit action={action} wide>
        {word ?? texts.door.signIn}
      </Submit>
    </form>
  )
}

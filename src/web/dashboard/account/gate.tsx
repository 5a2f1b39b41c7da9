import { useId, useState } from 'preact/hooks'
import type { Account } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import type { Session } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useReader } from '../../parts/reader.ts'
import { errorSentence } from '../../text/errors/texts.ts'
import { useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { PasswordField } from '../shell/password-field.tsx'
import { Submit } from '../shell/submit.tsx'
import { useTexts } from '../shell/texts.ts'
import { SignInForm } from './sign-in-form.tsx'

type GateProps = { readonly session: Session; readonly account: Account }

/** A call waits for a sign-in or for a proof of identity: a dialog over the page, which keeps what was entered. */
export const Gate = ({ session, account }: GateProps) => {
  const { gate } = useTexts()
  const waiting = session.gate.value
  return (
    <>
      <Dialog
        open={waiting?.kind === 'sign_in'}
        title={gate.signInTitle}
        lead={gate.signInWhat}
        onClose={() => waiting?.done(false)}
      >
        <SignInForm session={session} email={account.user.email} onSignedIn={() => waiting?.done(true)} />
      </Dialog>
      {waiting?.kind === 'step_up' && <StepUp session={session} account={account} onDone={waiting.done} />}
    </>
  )
}

type StepUpProps = GateProps & { readonly onDone: (passed: boolean) => void }

const StepUp = ({ session, account, onDone }: StepUpProps) => {
  const { gate, door } = useTexts()
  const { locale } = useReader()
  const [proof, setProof] = useState('')
  const action = useAction()
  const form = useId()
  const { mfaEnabled } = account.user
  const refused = action.error instanceof ApiError ? action.error.code : undefined
  const isWrong = refused === 'invalid_credentials' || refused === 'invalid_mfa_code'

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (proof === '') return
    const isCode = mfaEnabled && /^\d{6}$/.test(proof.trim())
    const passed = await action.run(() => session.call('stepUp', isCode ? { code: proof.trim() } : { password: proof }))
    if (passed) onDone(true)
  }
  return (
    <Dialog
      open
      title={gate.stepUpTitle}
      lead={mfaEnabled ? gate.stepUpCodeWhat : gate.stepUpWhat}
      onClose={() => onDone(false)}
      footer={
        <>
          <button type="button" class="button" onClick={() => onDone(false)}>
            {gate.cancel}
          </button>
          <Submit action={action} form={form}>
            {gate.confirm}
          </Submit>
        </>
      }
    >
      <form id={form} class="form" onSubmit={submit} noValidate>
        <PasswordField
          label={mfaEnabled ? gate.passwordOrCode : door.password}
          autocomplete="current-password"
          value={proof}
          onValue={setProof}
          error={isWrong ? errorSentence(refused, locale) : undefined}
        />
        {action.error !== undefined && !isWrong && <ErrorNote failure={shownFailure(action.error)} />}
      </form>
    </Dialog>
  )
}

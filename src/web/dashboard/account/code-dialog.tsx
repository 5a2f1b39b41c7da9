import { useState } from 'preact/hooks'
import { ApiError } from '../../api/request.ts'
import { TextField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { errorSentence } from '../../text/errors/texts.ts'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useAccountTexts } from './texts.ts'

type CodeDialogProps = {
  readonly title: string
  readonly lead: string
  readonly yes: string
  readonly onCode: (code: string) => Promise<void>
  readonly onClose: () => void
}

/** Asks for a code of the second factor, which is sent with the change itself. */
export const CodeDialog = ({ title, lead, yes, onCode, onClose }: CodeDialogProps) => {
  const texts = useAccountTexts()
  const { locale } = useReader()
  const action = useAction()
  const [code, setCode] = useState('')
  const [isChecked, setChecked] = useState(false)
  const isWrong = action.error instanceof ApiError && action.error.code === 'invalid_mfa_code'
  const submit = async () => {
    setChecked(true)
    if (code.trim() !== '') await action.run(() => onCode(code.trim()))
  }
  return (
    <FormDialog
      open
      title={title}
      no={texts.cancel}
      yes={yes}
      action={isWrong ? { ...action, error: undefined } : action}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{lead}</p>
      <TextField
        label={texts.anyCode}
        name="code"
        autocomplete="one-time-code"
        spellcheck={false}
        maxLength={100}
        hint={texts.anyCodeHint}
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

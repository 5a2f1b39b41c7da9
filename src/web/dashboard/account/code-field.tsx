import { useState } from 'preact/hooks'
import { ApiError } from '../../api/request.ts'
import { TextField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { errorSentence } from '../../text/errors/texts.ts'
import { type Action, useAction } from '../shell/action.ts'
import { useAccountTexts } from './texts.ts'

/** A code of the second factor in a form. A wrong code is said at its field, every other failure by `action`. */
export const useCode = () => {
  const action = useAction()
  const [code, setCode] = useState('')
  const [isChecked, setChecked] = useState(false)
  const isWrong = action.error instanceof ApiError && action.error.code === 'invalid_mfa_code'
  const given = code.trim()
  return {
    action: (isWrong ? { ...action, error: undefined } : action) satisfies Action,
    /** Runs with the code, unless the field is empty. */
    submit: async (work: (code: string) => Promise<void>): Promise<void> => {
      setChecked(true)
      if (given !== '') await action.run(() => work(given))
    },
    field: { value: code, setValue: setCode, isWrong, isEmpty: isChecked && given === '' },
  }
}

type CodeFieldProps = ReturnType<typeof useCode>['field'] & {
  readonly label: string
  readonly hint: string
  /** False: recovery codes are accepted as well, which have letters. */
  readonly numeric?: boolean
}

export const CodeField = ({ label, hint, numeric = false, value, setValue, isWrong, isEmpty }: CodeFieldProps) => {
  const texts = useAccountTexts()
  const { locale } = useReader()
  return (
    <TextField
      label={label}
      name="code"
      autocomplete="one-time-code"
      {...(numeric && { inputMode: 'numeric' as const })}
      spellcheck={false}
      maxLength={numeric ? 10 : 100}
      hint={hint}
      value={value}
      onInput={event => setValue(event.currentTarget.value)}
      error={isEmpty ? texts.codeEmpty : isWrong ? errorSentence('invalid_mfa_code', locale) : undefined}
    />
  )
}

import { useState } from 'preact/hooks'
import { FormField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useTexts } from './texts.ts'

type PasswordFieldProps = {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly autocomplete: 'current-password' | 'new-password'
  readonly hint?: string
  readonly error?: string | undefined
}

/** A password that can be shown. Password managers and pasting work. */
export const PasswordField = ({ label, value, onValue, autocomplete, hint, error }: PasswordFieldProps) => {
  const texts = useTexts()
  const [isShown, setShown] = useState(false)
  return (
    <FormField label={label} hint={hint} error={error}>
      {props => (
        <span class="with-button">
          <input
            {...props}
            class="input"
            // One of the two: the types know no input that changes.
            type={(isShown ? 'text' : 'password') as 'password'}
            name="password"
            autocomplete={autocomplete}
            autocapitalize="off"
            spellcheck={false}
            value={value}
            onInput={event => onValue(event.currentTarget.value)}
          />
          <button
            type="button"
            class="icon-button"
            aria-label={isShown ? texts.door.hide : texts.door.show}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            <Icon name="eye" />
          </button>
        </span>
      )}
    </FormField>
  )
}

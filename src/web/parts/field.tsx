import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { useReader } from './reader.ts'

/** What an input needs to belong to its label, hint and error. */
export type InputLinks = {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
}

type FieldSpec = {
  readonly label: string
  readonly hint?: ComponentChildren
  /** What is wrong and what would be right. */
  readonly error?: string | undefined
  readonly optional?: boolean
}

type Framed = FieldSpec & { readonly children: (props: InputLinks) => ComponentChildren }

/** A label above its input, a hint and an error below. */
export const FormField = ({ label, hint, error, optional, children }: Framed) => {
  const { texts } = useReader()
  const id = useId()
  const described = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && <span class="quiet"> ({texts.optional})</span>}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error === undefined ? undefined : 'true',
      })}
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          <Icon name="alert" small />
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

type InputProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  | 'value'
  | 'onInput'
  | 'onBlur'
  | 'onKeyDown'
  | 'name'
  | 'autocomplete'
  | 'inputMode'
  | 'maxLength'
  | 'required'
  | 'readOnly'
  | 'placeholder'
  | 'spellcheck'
  | 'autoFocus'
>

type TextFieldProps = FieldSpec &
  InputProps & { readonly type?: 'text' | 'email' | 'password' | 'search' | 'url' | 'tel' }

export const TextField = ({ label, hint, error, optional, type = 'text', ...input }: TextFieldProps) => (
  <FormField label={label} hint={hint} error={error} optional={optional ?? false}>
    {props => <input class="input" type={type as 'text'} {...input} {...props} />}
  </FormField>
)

import { TextField } from '../../parts/field.tsx'

type ReferenceFieldProps = {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly onReference: (reference: string) => void
  readonly error: string | undefined
}

/** The own reference of a shop for a record. */
export const ReferenceField = ({ onReference, ...field }: ReferenceFieldProps) => (
  <TextField
    {...field}
    optional
    name="reference"
    autocomplete="off"
    maxLength={200}
    onInput={event => onReference(event.currentTarget.value)}
  />
)

import { FormField, TextField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { type AddressDraft, missingIn } from './address-draft.ts'
import { countriesIn } from './countries.ts'
import { usePostalAddressTexts } from './texts.ts'

type AddressFieldsProps = {
  readonly value: AddressDraft
  readonly onValue: (value: AddressDraft) => void
  /** Whether the form was sent once: then it says what is missing. */
  readonly isChecked: boolean
  /** The field that the server has refused. */
  readonly refused: string | undefined
}

/** The fields of a postal address. */
export const AddressFields = ({ value, onValue, isChecked, refused }: AddressFieldsProps) => {
  const texts = usePostalAddressTexts()
  const { locale } = useReader()
  const missing = isChecked ? missingIn(value) : []
  const errorOf = (field: keyof AddressDraft): string | undefined => {
    const lacking = missing.find(each => each === field)
    if (lacking) return texts.missing[lacking]
    return refused === `address.${field}` ? texts.refused : undefined
  }
  const text = (field: Exclude<keyof AddressDraft, 'country'>) => (
    <TextField
      label={texts.fields[field]}
      optional={field === 'line2' || field === 'state'}
      autocomplete="off"
      maxLength={200}
      value={value[field]}
      onInput={event => onValue({ ...value, [field]: event.currentTarget.value })}
      error={errorOf(field)}
    />
  )
  return (
    <fieldset class="form">
      <legend class="legend">{texts.title}</legend>
      <p class="quiet">{texts.hint}</p>
      {text('line1')}
      {text('line2')}
      <div class="pair">
        {text('postalCode')}
        {text('city')}
      </div>
      {text('state')}
      <FormField label={texts.fields.country} error={errorOf('country')}>
        {props => (
          <select
            class="input"
            autocomplete="off"
            {...props}
            value={value.country}
            onChange={event => onValue({ ...value, country: event.currentTarget.value })}
          >
            <option value="">{texts.choose}</option>
            {countriesIn(locale).map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        )}
      </FormField>
    </fieldset>
  )
}

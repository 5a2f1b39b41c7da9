import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { CustomerWithTotals } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { FormField, TextField } from '../../parts/field.tsx'
import { AddressFields } from '../postal-address/address-fields.tsx'
import type { Action } from '../shell/action.ts'
import { refusedField, shownFailure } from '../shell/failure.ts'
import { useAddress } from '../shell/shop.ts'
import { type CustomerDraft, type CustomerEdits, customerDraftOf, faultsIn } from './customer-draft.ts'
import { MetadataFields } from './metadata-fields.tsx'
import { useCustomersTexts } from './texts.ts'

type CustomerFormProps = {
  /** Undefined: a new one. */
  readonly customer?: CustomerWithTotals
  readonly edits: CustomerEdits
  readonly onEdits: (edits: CustomerEdits) => void
  readonly action: Action
  readonly onSubmit: () => void
  /** The buttons. */
  readonly children: ComponentChildren
}

/** The fields of a customer, of a new one and of one that is edited. */
export const CustomerForm = ({ customer, edits, onEdits, action, onSubmit, children }: CustomerFormProps) => {
  const texts = useCustomersTexts()
  const address = useAddress()
  const [isChecked, setChecked] = useState(false)
  const draft: CustomerDraft = { ...customerDraftOf(customer), ...edits }
  const faults = faultsIn(draft)
  const isWrong = faults.email || faults.address || faults.metadata.some(Boolean)
  const { error } = action
  const refused = refusedField(error)
  const twin = twinIn(error)
  const errorOf = (field: string, own?: string | false): string | undefined => {
    if (own) return own
    if (twin?.field === field) return texts.taken[twin.field]
    return refused === field ? texts.refused : undefined
  }
  const input = (name: 'email' | 'name' | 'company' | 'taxId' | 'reference') => ({
    ...{ name, value: draft[name], autocomplete: 'off' as const },
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      onEdits({ ...edits, [name]: event.currentTarget.value }),
  })
  const isShownAtField = twin !== undefined || (refused !== undefined && fields.includes(refused.split('.')[0] ?? ''))
  return (
    <form
      class="form form--wide"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        setChecked(true)
        if (!isWrong) onSubmit()
      }}
    >
      <TextField
        label={texts.email}
        type="email"
        maxLength={254}
        hint={customer && texts.emailHint}
        {...input('email')}
        error={errorOf('email', isChecked && faults.email && texts.emailWrong)}
      />
      <TextField label={texts.name} optional maxLength={200} {...input('name')} error={errorOf('name')} />
      <TextField label={texts.company} optional maxLength={200} {...input('company')} error={errorOf('company')} />
      <TextField
        label={texts.taxId}
        optional
        maxLength={200}
        hint={texts.taxIdHint}
        {...input('taxId')}
        error={errorOf('taxId')}
      />
      <AddressFields
        value={draft.address}
        onValue={value => onEdits({ ...edits, address: value })}
        isChecked={isChecked}
        refused={refused}
      />
      <FormField label={texts.locale} optional hint={texts.localeHint} error={errorOf('locale')}>
        {props => (
          <select
            class="input"
            {...props}
            value={draft.locale}
            onChange={event => onEdits({ ...edits, locale: event.currentTarget.value })}
          >
            <option value="">{texts.localeNone}</option>
            <option value="en">{texts.languages.en}</option>
            <option value="de">{texts.languages.de}</option>
            {/* The API takes every language. */}
            {!['', 'en', 'de'].includes(draft.locale) && <option>{draft.locale}</option>}
          </select>
        )}
      </FormField>
      <TextField
        label={texts.reference}
        optional
        maxLength={200}
        hint={texts.referenceHint}
        {...input('reference')}
        error={errorOf('reference')}
      />
      <MetadataFields
        entries={draft.metadata}
        onEntries={metadata => onEdits({ ...edits, metadata })}
        faults={isChecked ? faults.metadata : []}
        refused={refused?.split('.')[0] === 'metadata' ? texts.metadataRefused : undefined}
      />
      {twin?.customerId !== undefined && (
        <p>
          <a href={address('customers', twin.customerId)}>{texts.openTwin}</a>
        </p>
      )}
      {error !== undefined && !isShownAtField && <ErrorNote failure={shownFailure(error)} />}
      <div class="buttons">{children}</div>
    </form>
  )
}

const fields: readonly string[] = [
  ...['email', 'name', 'company', 'taxId', 'address', 'locale', 'reference', 'metadata'],
]

/** The customer that has the e-mail address or the reference already. */
const twinIn = (error: unknown) => {
  if (!(error instanceof ApiError)) return undefined
  const { customerId } = error.details
  const id = typeof customerId === 'string' ? { customerId } : {}
  if (error.code === 'duplicate_customer') return { field: 'email' as const, ...id }
  return error.code === 'duplicate_reference' ? { field: 'reference' as const, ...id } : undefined
}

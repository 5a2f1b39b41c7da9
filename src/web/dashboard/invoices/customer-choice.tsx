import { useLayoutEffect, useRef } from 'preact/hooks'
import { TextField } from '../../parts/field.tsx'
import { besidesName, nameOfCustomer } from '../customers/customer-name.ts'
import { FindCustomer } from '../customers/find-customer.tsx'
import { useCustomer } from '../customers/use-customer.ts'
import { enteredAddress } from '../postal-address/address-draft.ts'
import { AddressFields } from '../postal-address/address-fields.tsx'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import { type DraftCustomer, type InvoiceFaults, newCustomer } from './invoice-draft.ts'

type CustomerChoiceProps = {
  readonly customer: DraftCustomer
  readonly onCustomer: (customer: DraftCustomer) => void
  /** Undefined as long as the form was not checked. */
  readonly faults: Pick<InvoiceFaults, 'customer' | 'email' | 'address'> | undefined
  /** The parameter that the server has refused. */
  readonly refused: string | undefined
  readonly isErased: boolean
}

/** Whom the invoice is for: a customer that exists, or a new one by its e-mail address. */
export const CustomerChoice = ({ customer, onCustomer, faults, refused, isErased }: CustomerChoiceProps) => {
  const texts = useInvoiceEditorTexts()
  const { by } = customer
  const fields = useRef<HTMLFieldSetElement>(null)
  /** The part that had the focus is replaced: by the customer that was chosen, or by the search for another one. */
  const isReplaced = useRef(false)
  useLayoutEffect(() => {
    if (!isReplaced.current) return
    isReplaced.current = false
    fields.current?.querySelector<HTMLElement>('[role=combobox], .chosen button')?.focus()
  }, [customer])
  const replace = (id: string | undefined) => {
    isReplaced.current = true
    typed.current = ''
    onCustomer({ by: 'search', id })
  }
  /** What was searched for is the e-mail address of a new customer, or its name. */
  const typed = useRef('')
  const choose = (next: DraftCustomer['by']) => {
    const text = typed.current.trim()
    typed.current = ''
    onCustomer(next === 'search' ? { by: next, id: undefined } : newCustomer(text))
  }
  const errorOf = (field: string): string | undefined => (refused === `customer.${field}` ? texts.refused : undefined)
  return (
    <fieldset ref={fields} class="form">
      <legend class="legend">{texts.customer}</legend>
      <div class="choices-row">
        {(['search', 'email'] as const).map(each => (
          <label key={each} class="check">
            <input type="radio" name="customerBy" checked={each === by} onInput={() => choose(each)} />
            <span>{texts.customerBy[each]}</span>
          </label>
        ))}
      </div>
      {customer.by === 'search' &&
        (customer.id === undefined ? (
          <FindCustomer
            label={texts.find}
            hint={texts.findHint}
            error={faults?.customer ? texts.findEmpty : undefined}
            except=""
            onCustomer={id => id !== undefined && replace(id)}
            onTyped={text => {
              typed.current = text
            }}
          />
        ) : (
          <Chosen
            id={customer.id}
            isRefused={refused === 'customerId'}
            isErased={isErased}
            onChange={() => replace(undefined)}
          />
        ))}
      {customer.by === 'email' && (
        <>
          <TextField
            label={texts.email}
            type="email"
            name="email"
            autocomplete="off"
            maxLength={254}
            hint={texts.emailHint}
            value={customer.email}
            onInput={event => onCustomer({ ...customer, email: event.currentTarget.value })}
            error={faults?.email ? texts.emailWrong : isErased ? texts.customerErased : errorOf('email')}
          />
          <TextField
            label={texts.name}
            optional
            name="name"
            autocomplete="off"
            maxLength={200}
            value={customer.name}
            onInput={event => onCustomer({ ...customer, name: event.currentTarget.value })}
            error={errorOf('name')}
          />
          <TextField
            label={texts.company}
            optional
            name="company"
            autocomplete="off"
            maxLength={200}
            value={customer.company}
            onInput={event => onCustomer({ ...customer, company: event.currentTarget.value })}
            error={errorOf('company')}
          />
          <details
            class="more"
            open={faults?.address || refused?.startsWith('customer.address') || isPlaceGiven(customer)}
          >
            <summary>{texts.place}</summary>
            <div class="form">
              <p class="quiet">{texts.placeHint}</p>
              <TextField
                label={texts.taxId}
                optional
                name="taxId"
                autocomplete="off"
                maxLength={200}
                value={customer.taxId}
                onInput={event => onCustomer({ ...customer, taxId: event.currentTarget.value })}
                error={errorOf('taxId')}
              />
              <AddressFields
                value={customer.address}
                onValue={address => onCustomer({ ...customer, address })}
                isChecked={faults !== undefined}
                refused={refused?.replace(/^customer\./, '')}
              />
            </div>
          </details>
        </>
      )}
    </fieldset>
  )
}

/** It stays open when something is typed there. */
const isPlaceGiven = ({ taxId, address }: Extract<DraftCustomer, { by: 'email' }>): boolean =>
  taxId !== '' || enteredAddress(address) !== null

type ChosenProps = {
  readonly id: string
  readonly isRefused: boolean
  readonly isErased: boolean
  readonly onChange: () => void
}

const Chosen = ({ id, isRefused, isErased, onChange }: ChosenProps) => {
  const texts = useInvoiceEditorTexts()
  const { data, error } = useCustomer(id)
  const fault =
    isErased || (data !== undefined && data.erasedAt !== null)
      ? texts.customerErased
      : isRefused || (error && !data)
        ? texts.customerGone
        : undefined
  return (
    <div class="chosen" aria-invalid={fault !== undefined} data-customer={id}>
      <span>
        <b>{data ? nameOfCustomer(data) : id}</b>
        {data && <span class="under">{besidesName(data)}</span>}
        {fault !== undefined && <span class="under chosen__fault">{fault}</span>}
      </span>
      <button type="button" class="button button--small" onClick={onChange}>
        {texts.change}
      </button>
    </div>
  )
}

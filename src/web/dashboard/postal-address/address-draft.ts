import type { Customer } from '../../api/calls.ts'

export type EnteredAddress = NonNullable<Customer['address']>

/** An address as it is typed. */
export type AddressDraft = { readonly [Field in keyof EnteredAddress]: string }

const addressFields = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'] as const

const requiredFields = ['line1', 'postalCode', 'city', 'country'] as const

export const addressDraftOf = (address: EnteredAddress | null): AddressDraft => ({
  ...{ line1: address?.line1 ?? '', line2: address?.line2 ?? '', postalCode: address?.postalCode ?? '' },
  ...{ city: address?.city ?? '', state: address?.state ?? '', country: address?.country ?? '' },
})

/** Null: nothing is entered. */
export const enteredAddress = (draft: AddressDraft): EnteredAddress | null => {
  const given = (field: keyof AddressDraft) => draft[field].trim()
  if (addressFields.every(field => given(field) === '')) return null
  return {
    ...{ line1: given('line1'), line2: given('line2') || null, postalCode: given('postalCode') },
    ...{ city: given('city'), state: given('state') || null, country: given('country') },
  }
}

/** What an address that is begun lacks. */
export const missingIn = (draft: AddressDraft): readonly (typeof requiredFields)[number][] =>
  enteredAddress(draft) === null ? [] : requiredFields.filter(field => draft[field].trim() === '')

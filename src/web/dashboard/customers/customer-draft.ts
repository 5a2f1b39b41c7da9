import type { Calls, CustomerWithTotals } from '../../api/calls.ts'
import { type AddressDraft, addressDraftOf, enteredAddress, missingIn } from '../postal-address/address-draft.ts'

export type MetadataEntry = { readonly key: string; readonly value: string }

/** A customer as it is typed. */
export type CustomerDraft = {
  readonly email: string
  readonly name: string
  readonly company: string
  readonly taxId: string
  readonly address: AddressDraft
  readonly locale: string
  readonly reference: string
  readonly metadata: readonly MetadataEntry[]
}

/** Only what was edited in the form. All else is as the customer is now, and is not sent. */
export type CustomerEdits = Partial<CustomerDraft>

type CustomerChanges = Omit<Calls['updateCustomer']['input'], 'merchantId' | 'id'>

export const customerDraftOf = (customer: CustomerWithTotals | undefined): CustomerDraft => ({
  ...{ email: customer?.email ?? '', name: customer?.name ?? '', company: customer?.company ?? '' },
  ...{ taxId: customer?.taxId ?? '', locale: customer?.locale ?? '', reference: customer?.reference ?? '' },
  address: addressDraftOf(customer?.address ?? null),
  metadata: Object.entries(customer?.metadata ?? {}).map(([key, value]) => ({ key, value })),
})

/** What is wrong with a draft, as far as the browser knows it. */
export const faultsIn = ({ email, address, metadata }: CustomerDraft) => {
  return {
    email: !/^[^\s@]+@[^\s@]+$/.test(email.trim()),
    address: missingIn(address).length > 0,
    metadata: metadataFaultsIn(metadata),
  }
}

/** By its place: a value without a key, or a key that stands there twice. */
export const metadataFaultsIn = (entries: readonly MetadataEntry[]) => {
  const keys = entries.map(({ key }) => key.trim())
  return entries.map(({ value }, n) =>
    keys[n] === '' ? value !== '' && ('no_key' as const) : keys.indexOf(keys[n] ?? '') < n && ('twice' as const),
  )
}

/** The fields that differ from the customer. */
export const customerChangesIn = (edits: CustomerEdits, customer: CustomerWithTotals | undefined): CustomerChanges => {
  const [before, after] = [bodyOf(customerDraftOf(customer)), bodyOf({ ...customerDraftOf(customer), ...edits })]
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(Object(before)[field])),
  )
}

const bodyOf = ({ email, address, metadata, ...texts }: CustomerDraft): CustomerChanges => ({
  email: email.trim(),
  ...Object.fromEntries(Object.entries(texts).map(([field, text]) => [field, text.trim() || null])),
  address: enteredAddress(address),
  metadata: enteredMetadata(metadata),
})

export const enteredMetadata = (entries: readonly MetadataEntry[]): Readonly<Record<string, string>> =>
  Object.fromEntries(entries.flatMap(({ key, value }) => (key.trim() === '' ? [] : [[key.trim(), value]])))

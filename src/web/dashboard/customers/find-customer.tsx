import { useState } from 'preact/hooks'
import type { CustomerWithTotals } from '../../api/calls.ts'
import { useQuery } from '../../api/query.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { useSettled } from '../shell/settled.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { besidesName, nameOfCustomer } from './customer-name.ts'

type FindCustomerProps = {
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
  readonly error: string | undefined
  /** Not offered. */
  readonly except: string
  /** Undefined: the text has changed since. */
  readonly onCustomer: (id: string | undefined) => void
  readonly onTyped?: (text: string) => void
}

const OFFERED = 8

/** A customer by the beginning of its name, company or e-mail address; the latest ones without a text. */
export const FindCustomer = ({ except, onCustomer, onTyped, ...field }: FindCustomerProps) => {
  const { session } = useShop()
  const scope = useScope()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState('')
  // The name of the one that was chosen is no search.
  const wanted = text === chosen ? '' : text.trim()
  const q = useSettled(wanted)
  const { data, isPlaceholderData } = useQuery({
    queryKey: [scope.merchantId, scope.livemode, 'customers', 'search', q],
    queryFn: ({ signal }) =>
      session.call('listCustomers', { ...scope, limit: OFFERED + 1, ...(q !== '' && { q }) }, { signal }),
    // The old ones stay until the new ones arrive, so that nothing jumps.
    placeholderData: before => before,
    refetchOnMount: 'always',
  }).value
  const found = (data?.data ?? []).filter(({ id }) => id !== except).slice(0, OFFERED)
  return (
    <Combobox
      {...field}
      maxLength={200}
      text={text}
      isStale={q !== wanted || isPlaceholderData || data === undefined}
      onText={next => {
        setText(next)
        onTyped?.(next)
        onCustomer(undefined)
      }}
      options={found.map(optionOf)}
      onSelect={option => {
        setText(option.label)
        setChosen(option.label)
        onCustomer(option.key)
      }}
    />
  )
}

const optionOf = (customer: CustomerWithTotals) => ({
  key: customer.id,
  label: nameOfCustomer(customer),
  detail: besidesName(customer),
})

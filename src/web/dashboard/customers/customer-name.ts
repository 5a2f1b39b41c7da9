import type { CustomerWithTotals } from '../../api/calls.ts'
import { useShownEmail } from '../shell/shown-email.ts'

type Named = Pick<CustomerWithTotals, 'name' | 'company' | 'email'>

/** What a customer is called: the person, the company, or the e-mail address. */
export const nameOfCustomer = ({ name, company, email }: Named): string => name ?? company ?? email

/** The same, with words for an erased customer. */
export const useCustomerName = () => {
  const shownEmail = useShownEmail()
  return (customer: Named): string => shownEmail(nameOfCustomer(customer))
}

/** What else a list says about who it is. */
export const besidesName = ({ name, company, email }: Named): string =>
  [name !== null && company, (name ?? company) !== null && email].filter(Boolean).join(' · ')

/** In any currency; undefined if none has succeeded. */
export const lastPaymentAt = (totals: CustomerWithTotals['totals']): string | undefined =>
  totals
    .flatMap(({ lastPaymentAt: at }) => at ?? [])
    .sort()
    .at(-1)

import type { Check } from './check.ts'

/** The figures of merchants, with the transitions that are not added yet, agree with payments and refunds. */
export const paymentSums: Check = {
  invariant: 'I9',
  what: 'a merchant whose sums of payments differ from its payments and refunds',
  breaches: sql => sql`select merchant_id as id from differing_payment_sums()`,
}

import { type } from 'arktype'
import type { PostalAddress } from '../fields/postal-address.ts'
import type { Parsed } from './route.ts'
import { shownText } from './text.ts'

const line = () => shownText(1, 200)

export const postalAddressField = () =>
  type({
    line1: line(),
    'line2?': line().or('null'),
    city: line(),
    postalCode: line(),
    'state?': line().or('null'),
    country: '/^[A-Z]{2}$/',
  })

export const postalAddressOf = (sent: Parsed<typeof postalAddressField>): PostalAddress => ({
  line1: sent.line1,
  line2: sent.line2 ?? null,
  city: sent.city,
  postalCode: sent.postalCode,
  state: sent.state ?? null,
  country: sent.country,
})

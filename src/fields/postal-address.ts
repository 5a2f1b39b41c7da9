import { groupOf } from './record.ts'
import { text, textOrNull } from './wire.ts'

export type PostalAddress = {
  readonly line1: string
  readonly line2: string | null
  readonly city: string
  readonly postalCode: string
  readonly state: string | null
  /** ISO 3166-1 alpha-2. */
  readonly country: string
}

export const postalAddress = groupOf<PostalAddress>()({
  line1: { type: text, about: 'Street and house number.', example: '12 Byron Street', of: ({ line1 }) => line1 },
  line2: { type: textOrNull, about: 'Second line. Null if not set.', example: null, of: ({ line2 }) => line2 },
  city: { type: text, about: 'Town or city.', example: 'London', of: ({ city }) => city },
  postalCode: { type: text, about: 'Postal code.', example: 'N1 7AA', of: ({ postalCode }) => postalCode },
  state: {
    type: textOrNull,
    about: 'State, province or county. Null if not set.',
    example: null,
    of: ({ state }) => state,
  },
  country: {
    type: text,
    about: 'Country, as two letters by ISO 3166-1.',
    example: 'GB',
    of: ({ country }) => country,
  },
})

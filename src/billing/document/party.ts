import type { Locale } from '../../web/text/locale.ts'
import type { PrintedAddress, PrintedDocument } from './document.ts'

/** The name and address of the customer as on an envelope. */
export const customerLines = ({ customer, seller, locale }: PrintedDocument): readonly string[] => {
  const { company, name, email, address } = customer
  const names = [company, name].filter(isText)
  return [...(names.length > 0 ? names : [email].filter(isText)), ...placeLines(address, seller.address, locale)]
}

export const sellerLines = ({
  customer,
  seller,
  locale,
}: Pick<PrintedDocument, 'customer' | 'seller' | 'locale'>): readonly string[] => [
  ...[seller.legalName].filter(isText),
  ...placeLines(seller.address, customer.address, locale),
]

/** With the country only if it differs from that of the other party. */
const placeLines = (
  address: PrintedAddress | null,
  other: PrintedAddress | null,
  locale: Locale,
): readonly string[] => {
  if (address === null) return []
  const isAbroad = address.country !== other?.country
  return [...addressLines(address), ...(isAbroad ? [countryName(address.country, locale)] : [])]
}

const isText = (value: string | null): value is string => value !== null && value !== ''

const addressLines = ({ line1, line2, city, postalCode, state, country }: PrintedAddress): readonly string[] => {
  const place = placeAfterCity.has(country)
    ? [[city, [state, postalCode].filter(isText).join(' ')].filter(isText).join(', ')]
    : [[postalCode, city].filter(isText).join(' '), state]
  return [line1, line2, ...place].filter(isText)
}

/** Countries that write `Springfield, IL 62704`. The others write `50667 Köln`. */
const placeAfterCity: ReadonlySet<string> = new Set(['AU', 'CA', 'GB', 'IE', 'IN', 'NZ', 'US'])

const countryName = (country: string, locale: Locale): string => {
  try {
    return new Intl.DisplayNames(locale, { type: 'region' }).of(country) ?? country
  } catch {
    return country
  }
}

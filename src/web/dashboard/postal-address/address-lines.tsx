import { Fragment } from 'preact'
import { useReader } from '../../parts/reader.ts'
import type { EnteredAddress } from './address-draft.ts'
import { countryName } from './countries.ts'

/** A postal address as on an envelope. */
export const AddressLines = ({ address }: { readonly address: EnteredAddress }) => {
  const { locale } = useReader()
  const { line1, line2, postalCode, city, state, country } = address
  const lines = [line1, line2, `${postalCode} ${city}`, state, countryName(country, locale)]
  return (
    <>
      {lines
        .filter(line => line !== null)
        .map((line, n) => (
          <Fragment key={n}>
            {n > 0 && <br />}
            {line}
          </Fragment>
        ))}
    </>
  )
}

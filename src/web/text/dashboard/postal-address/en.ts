/** The texts of postal addresses. */
export const postalAddressEn = {
  title: 'Address',
  hint: 'Leave all fields empty for no address.',
  fields: {
    line1: 'Street and number',
    line2: 'Additional line',
    postalCode: 'Postal code',
    city: 'City',
    state: 'State or region',
    country: 'Country',
  },
  choose: 'Choose a country',
  missing: {
    line1: 'Enter the street and number.',
    postalCode: 'Enter the postal code.',
    city: 'Enter the city.',
    country: 'Choose the country.',
  },
  refused: 'This value is not accepted. Type it again without invisible characters.',
}

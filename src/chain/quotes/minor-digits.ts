/** The number of decimal places of a currency in ISO 4217: 100 USD are 10000 minor units, 100 JPY are 100. */
export const minorDigits = (currency: string): number => EXCEPTIONS.get(currency) ?? 2

const listed = (digits: number, currencies: string) =>
  currencies.split(' ').map((currency): [string, number] => [currency, digits])

const EXCEPTIONS: ReadonlyMap<string, number> = new Map([
  ...listed(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...listed(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...listed(4, 'CLF UYW'),
])

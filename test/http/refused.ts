/** Invalid values for the tables of refused requests: name, body, code, parameter. */
export type Refused = [what: string, json: object, code: string, param: string]

export const refusedAmounts: readonly Refused[] = [
  ['an amount of 0', { amountMinor: 0 }, 'parameter_invalid', 'amountMinor'],
  ['an amount of -1', { amountMinor: -1 }, 'parameter_invalid', 'amountMinor'],
  ['an amount of 1.5', { amountMinor: 1.5 }, 'parameter_invalid', 'amountMinor'],
  ['an amount as text', { amountMinor: '1' }, 'parameter_invalid', 'amountMinor'],
  ['an amount of 2^53', { amountMinor: 2 ** 53 }, 'parameter_invalid', 'amountMinor'],
  ['an amount of null', { amountMinor: null }, 'parameter_invalid', 'amountMinor'],
  ['a list of amounts', { amountMinor: [1] }, 'parameter_invalid', 'amountMinor'],
]

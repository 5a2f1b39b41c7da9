import { type } from 'arktype'

/** Chain and symbol of an asset, in requests. */
export const chainIdField = () => type('1 <= number.integer <= 9007199254740991')
export const symbol = () => type('/^[A-Za-z0-9.]{1,20}$/')

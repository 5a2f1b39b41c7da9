import { type } from 'arktype'

/** What is paid with, as merchants and customers name it. */
export const chainId = () => type('1 <= number.integer <= 9007199254740991')
export const symbol = () => type('/^[A-Za-z0-9.]{1,20}$/')

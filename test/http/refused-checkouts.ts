import type { Refused } from './refused.ts'

/** Bodies with which no payment is opened, without those about the length of the e-mail address. */
export const refusedBodies: readonly Refused[] = [
  ['no e-mail address', { customerEmail: undefined }, 'parameter_missing', 'customerEmail'],
  ['an e-mail address of null', { customerEmail: null }, 'parameter_invalid', 'customerEmail'],
  ['an invalid e-mail address', { customerEmail: 'ada' }, 'parameter_invalid', 'customerEmail'],
  ['an empty e-mail address', { customerEmail: ' ' }, 'parameter_invalid', 'customerEmail'],
  ['two e-mail addresses', { customerEmail: 'a@b, c@d' }, 'parameter_invalid', 'customerEmail'],
  [
    'an e-mail address of 255 characters',
    { customerEmail: `${'a'.repeat(250)}@b.de` },
    'parameter_invalid',
    'customerEmail',
  ],
  ['a name of 201 characters', { customerName: 'a'.repeat(201) }, 'parameter_invalid', 'customerName'],
  ['a name of 201 emoji', { customerName: '😀'.repeat(201) }, 'parameter_invalid', 'customerName'],
  ['a name over two lines', { customerName: 'Ada\r\nBcc: x@y.z' }, 'parameter_invalid', 'customerName'],
  ['a name with a right-to-left override', { customerName: 'Ada \u202egpj.exe' }, 'parameter_invalid', 'customerName'],
  ['a name that is a number', { customerName: 1 }, 'parameter_invalid', 'customerName'],
  ['a chain without an asset', { chainId: 31337 }, 'parameter_missing', 'asset'],
  ['an asset without a chain', { asset: 'TUSD' }, 'parameter_missing', 'chainId'],
  ['a chain as text', { chainId: '31337', asset: 'TUSD' }, 'parameter_invalid', 'chainId'],
  ['chain 0', { chainId: 0, asset: 'TUSD' }, 'parameter_invalid', 'chainId'],
  ['a chain of null', { chainId: null, asset: 'TUSD' }, 'parameter_invalid', 'chainId'],
  ['an asset that is an address', { chainId: 1, asset: `0x${'a'.repeat(40)}` }, 'parameter_invalid', 'asset'],
  ['a client secret', { clientSecret: 'x' }, 'parameter_unknown', 'clientSecret'],
  ['an amount', { amountMinor: 1 }, 'parameter_unknown', 'amountMinor'],
]

import { type } from 'arktype'
import type { Hex } from 'viem'
import { bytesToHex, hexToBytes } from 'viem/utils'
import { once } from '../../once.ts'
import { StartError } from '../../start-error.ts'
import { parseAddress } from '../address.ts'
import { factory } from '../forwarder.ts'

/** All that is needed, beside a node of the chain, to find and sweep every address that was ever given out. */
export type Recovery = {
  /** Every one that addresses were made with, or may be with what is set. */
  readonly treasuries: readonly Treasury[]
  readonly secret: Uint8Array
  /** Of the addresses given out when the file was written, null if there was none; later ones are found too. */
  readonly highestCounter: number | null
  /** Those that were switched on when the file was written: a file of before they were listed has none. */
  readonly chains: readonly { readonly chainId: number; readonly tokens: readonly RecoveryToken[] }[]
}

export type RecoveryToken = { readonly asset: string; readonly address: Hex; readonly decimals: number }

export type Treasury = {
  readonly address: Hex
  /** What stood there where it was paid into, as `readTreasuryCode` tells it: null for a key's own address. */
  readonly codeHash: Hex | null
  /** The one chain where it may be swept to, null for any: who knows a merchant has the key of its sandbox treasury. */
  readonly onlyOn: number | null
}

/** What a merchant downloads and keeps: whoever has it knows every address, and can move nothing but to the treasuries. */
export const writeRecoveryFile = ({ treasuries, secret, highestCounter, chains }: Recovery): string => {
  const file = { version, treasuries, factory, secret: bytesToHex(secret).slice(2), highestCounter, chains }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Throws a StartError of one line that repeats nothing of the file, which holds a secret. */
export const parseRecoveryFile = (text: string): Recovery => {
  const file = contents()(parseJson(text))
  if (file instanceof type.errors) {
    const [field] = file[0]?.path ?? []
    throw new StartError(
      field === undefined ? 'This is not a recovery file' : `${String(field)} of the recovery file is not valid`,
    )
  }
  if (file.factory !== factory)
    throw new StartError('The addresses of this recovery file come from another factory: use the version that wrote it')
  const { treasuries, secret, highestCounter, chains = [] } = file
  return { treasuries, secret: hexToBytes(`0x${secret}`), highestCounter, chains }
}

const version = 1

const isHash = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text)

const contents = once(() => {
  const address = type('string')
    .narrow(text => parseAddress(text) !== undefined)
    .pipe((text): Hex => `0x${text.slice(2).toLowerCase()}`)
  return type({
    version: `${version}`,
    treasuries: type({
      address,
      codeHash: type('string').narrow(isHash).or('null'),
      onlyOn: 'number.integer >= 1 | null',
    })
      .array()
      .atLeastLength(1),
    factory: 'string',
    secret: '/^[0-9a-f]{64}$/',
    highestCounter: '0 <= number.integer <= 9007199254740991 | null',
    'chains?': type({
      chainId: 'number.integer >= 1',
      tokens: type({ asset: '/^[A-Za-z0-9.]{1,20}$/', address, decimals: '0 <= number.integer <= 36' }).array(),
    }).array(),
  })
})

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new StartError('This is not a recovery file: it is no JSON')
  }
}

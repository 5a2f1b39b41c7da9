import { type } from 'arktype'
import type { Hex } from 'viem'
import { bytesToHex, hexToBytes } from 'viem/utils'
import { lazy } from '../../lazy.ts'
import { StartError } from '../../process/start-error.ts'
import { parseAddress } from '../address.ts'
import { factory } from '../forwarder.ts'

/** With a node of the chain, this is sufficient to find and collect from every deposit address. */
export type Recovery = {
  /** All treasuries that deposit addresses were derived from, or will be with the current settings. */
  readonly treasuries: readonly Treasury[]
  readonly secret: Uint8Array
  /** No address had a higher counter when the file was written. Null if there was none. Later addresses are found too. */
  readonly highestCounter: number | null
  /** The enabled chains when the file was written. Missing in files of older versions. */
  readonly chains: readonly { readonly chainId: number; readonly tokens: readonly RecoveryToken[] }[]
}

export type RecoveryToken = { readonly asset: string; readonly address: Hex; readonly decimals: number }

export type Treasury = {
  readonly address: Hex
  /** Hash of the code on the chains that pay into it, from `readTreasuryCode`: null if it is not a contract. */
  readonly codeHash: Hex | null
  /**
   * The only chain on which money may be collected to it, null for every chain. The key of the sandbox treasury is not
   * secret.
   */
  readonly onlyOn: number | null
}

/** The file that a merchant downloads. It shows all addresses, and can move money only to the treasuries. */
export const writeRecoveryFile = ({ treasuries, secret, highestCounter, chains }: Recovery): string => {
  const file = { version, treasuries, factory, secret: bytesToHex(secret).slice(2), highestCounter, chains }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Throws a StartError with one line. The line contains nothing of the file, which has a secret. */
export const parseRecoveryFile = (text: string): Recovery => {
  const file = contents()(parseJson(text))
  if (file instanceof type.errors) {
    const [field] = file[0]?.path ?? []
    throw new StartError(
      field === undefined
        ? 'This is not a recovery file'
        : `The field ${String(field)} of the recovery file is not valid`,
    )
  }
  if (file.factory !== factory)
    throw new StartError(
      'The recovery file was written by another version of this program (another factory): use that version',
    )
  const { treasuries, secret, highestCounter, chains = [] } = file
  return { treasuries, secret: hexToBytes(`0x${secret}`), highestCounter, chains }
}

const version = 1

const isHash = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text)

const contents = lazy(() => {
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
    throw new StartError('This is not a recovery file: it is not JSON')
  }
}

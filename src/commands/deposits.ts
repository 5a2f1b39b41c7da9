import type { Hex } from 'viem'
import type { Row } from '../actors/command.ts'
import type { Services } from '../actors/services.ts'
import { requireAddress } from '../chain/address.ts'
import { forwarderOf, saltOf } from '../chain/forwarder.ts'
import type { Keyring } from '../keyring.ts'
import {
  type Deposit,
  findDeposit,
  findRecoverySecret,
  insertRecoverySecret,
  takeNextCounter,
} from '../queries/deposits.ts'
import { RECOVERY_PURPOSE } from '../sealed-columns.ts'

const SECRET_BYTES = 32

type Wanted = { readonly paymentId: string; readonly merchantId: string; readonly treasury: Hex }

/**
 * The deposit address of a payment for this treasury: the existing one, or a new one. Its rows must be in the commit
 * that stores the address in the payment, so that an address which is not watched is never shown.
 */
export const depositFor = async (
  services: Pick<Services, 'sql' | 'random'>,
  keyring: Keyring,
  { paymentId, merchantId, treasury }: Wanted,
): Promise<{ readonly deposit: Deposit; readonly rows: readonly Row[] }> => {
  const lower = requireAddress(treasury)
  const known = await findDeposit(services.sql, paymentId, lower)
  if (known) return { deposit: known, rows: [] }
  const { counter, secret } = await draw(services, keyring, merchantId)
  const address = forwarderOf(lower)(saltOf(secret, counter))
  const row = { address, payment_id: paymentId, merchant_id: merchantId, treasury: lower, counter }
  return { deposit: { address, treasury: lower, counter }, rows: [{ table: 'deposit_addresses', row }] }
}

/** The recovery secret of the merchant, created at the first use. It finds the addresses, but cannot move money. */
export const recoverySecretOf = async (
  { sql, random }: Pick<Services, 'sql' | 'random'>,
  keyring: Keyring,
  merchantId: string,
): Promise<Uint8Array> => {
  const known = await findRecoverySecret(sql, merchantId)
  if (known !== undefined) return open(keyring, merchantId, known)
  const fresh = Buffer.from(random(new Uint8Array(SECRET_BYTES))).toString('hex')
  await insertRecoverySecret(sql, merchantId, keyring.seal(RECOVERY_PURPOSE, merchantId, fresh))
  const kept = await findRecoverySecret(sql, merchantId)
  if (kept === undefined) throw new Error(`the recovery secret of merchant ${merchantId} was not kept`)
  return open(keyring, merchantId, kept)
}

const draw = async (services: Pick<Services, 'sql' | 'random'>, keyring: Keyring, merchantId: string) => {
  const drawn = await takeNextCounter(services.sql, merchantId)
  if (drawn) return { counter: drawn.counter, secret: open(keyring, merchantId, drawn.sealed) }
  const secret = await recoverySecretOf(services, keyring, merchantId)
  const first = await takeNextCounter(services.sql, merchantId)
  if (!first) throw new Error(`merchant ${merchantId} has no numbers to draw`)
  return { counter: first.counter, secret }
}

const open = (keyring: Keyring, merchantId: string, sealed: string): Uint8Array =>
  new Uint8Array(Buffer.from(keyring.open(RECOVERY_PURPOSE, merchantId, sealed), 'hex'))

import type { Services } from '../actors/services.ts'
import { type Address, parseAddress } from '../chain/address.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { refuse } from '../errors.ts'
import { type LogoFile, updateLogo } from '../queries/logos.ts'
import type { AccountActor } from '../queries/security-events.ts'
import { findSettings, type SettingsChanges, type SettingsRow, updateSettings } from '../queries/settings.ts'
import { wouldBeLostAt } from './lost-money.ts'

export type SettingsChange = {
  readonly merchantId: string
  readonly livemode: boolean
  readonly changes: SettingsChanges
}

/** Returns the current settings, which can include changes of other requests. */
export const changeSettings = async (
  { sql, chains }: Pick<Services, 'sql'> & { readonly chains: Pick<Chains, 'all'> },
  { merchantId, livemode, changes }: SettingsChange,
  by: AccountActor,
): Promise<SettingsRow> => {
  for (const [param, address] of receivingAddressesIn(changes))
    if (await wouldBeLostAt({ sql, chains }, address)) refuse('parameter_invalid', { param, message: LOST })
  const outcome = await updateSettings(sql, { merchantId, livemode, changes }, by)
  // The role may have been changed since the guard has checked it.
  if (outcome === 'not_allowed') refuse('insufficient_role')
  if (outcome === 'too_many')
    refuse('parameter_invalid', { message: 'receivingAddresses and confirmations can have at most 100 chains each.' })
  return (await findSettings(sql, merchantId, livemode)) ?? refuse('resource_not_found')
}

/** Undefined removes the logo. It applies to both modes; the settings are those of one. */
export const changeLogo = async (
  { sql }: Pick<Services, 'sql'>,
  { merchantId, livemode }: Pick<SettingsChange, 'merchantId' | 'livemode'>,
  file: LogoFile | undefined,
  by: AccountActor,
): Promise<SettingsRow> => {
  if ((await updateLogo(sql, merchantId, file, by)) === 'not_allowed') refuse('insufficient_role')
  return (await findSettings(sql, merchantId, livemode)) ?? refuse('resource_not_found')
}

const LOST =
  'Money sent to this address would be lost: it is the contract of a token, a contract of paymachine, or the deposit address of a payment.'

/** The addresses in these changes, by parameter. */
const receivingAddressesIn = ({
  receiving_address,
  receiving_addresses = {},
}: SettingsChanges): readonly (readonly [param: string, Address])[] =>
  [
    ['receivingAddress', receiving_address] as const,
    ...Object.entries(receiving_addresses).map(([id, address]) => [`receivingAddresses.${id}`, address] as const),
  ].flatMap(([param, text]) => {
    const address = text ? parseAddress(text) : undefined
    return address ? [[param, address] as const] : []
  })

import { refuse } from '../errors.ts'
import type { Doer } from '../queries/security-events.ts'
import { changeSettings as change, findSettings, type SettingsChanges, type SettingsRow } from '../queries/settings.ts'
import type { World } from '../world.ts'

export type SettingsChange = {
  readonly merchantId: string
  readonly livemode: boolean
  readonly changes: SettingsChanges
}

/** Answers with everything as it is now, which may include what somebody else has changed meanwhile. */
export const changeSettings = async (
  { sql }: Pick<World, 'sql'>,
  { merchantId, livemode, changes }: SettingsChange,
  by: Doer,
): Promise<SettingsRow> => {
  const outcome = await change(sql, { merchantId, livemode, changes }, by)
  // The role may have been taken away since the guard looked.
  if (outcome === 'not_allowed') refuse('insufficient_role')
  if (outcome === 'too_many')
    refuse('parameter_invalid', { message: 'At most 100 chains can have a value of their own.' })
  return (await findSettings(sql, merchantId, livemode)) ?? refuse('resource_not_found')
}

import { type } from 'arktype'
import { createApiKey, presets } from '../commands/api-keys.ts'
import { givenName } from '../http/text.ts'
import { decodeId, encodeId, uuidv7 } from '../ids.ts'
import { StartError } from '../process/start-error.ts'
import { createMerchant, hasMerchant, listMerchants } from '../queries/merchants.ts'
import { getAccountByEmail } from './accounts.ts'
import { command, operator } from './command.ts'

export const merchantCommands = [
  command({
    name: 'merchants',
    does: 'lists the merchants with their IDs and owners',
    options: {},
    run: async ({ sql, print }) => {
      const merchants = await listMerchants(sql)
      if (merchants.length === 0) print('There are no merchants yet')
      for (const { id, name, owners } of merchants) print(`${encodeId('mer', id)} ${name} (${owners.join(', ')})`)
    },
  }),

  command({
    name: 'create-merchant',
    does: 'creates a merchant with an account as its owner',
    options: { name: { value: 'name' }, 'owner-email': { value: 'address' } },
    run: async (services, given) => {
      const name = readName(given.name)
      const owner = await getAccountByEmail(services, given['owner-email'])
      const id = uuidv7(services.clock.now(), services.random)
      await createMerchant(services.sql, { id, name, ownerId: owner.id }, operator)
      services.print(`Created merchant ${encodeId('mer', id)} for ${owner.email}`)
    },
  }),

  command({
    name: 'create-key',
    does: 'creates an API key for a merchant',
    options: {
      merchant: { value: 'mer_…' },
      mode: { value: 'test|live' },
      access: { value: Object.keys(presets).join('|') },
      name: { value: 'name', optional: true },
    },
    run: async (services, { merchant, mode, access, name = 'Created by the operator' }) => {
      const merchantId = decodeId('mer', merchant)
      if (mode !== 'test' && mode !== 'live') throw new StartError('--mode must be test or live')
      if (!isPreset(access)) throw new StartError(`--access must be ${Object.keys(presets).join(', ')}`)
      if (!merchantId || !(await hasMerchant(services.sql, merchantId)))
        throw new StartError('--merchant is not the ID of a merchant: see `bun run admin merchants`')
      const spec = { livemode: mode === 'live', name: readName(name), scopes: presets[access], expiresAt: null }
      const { row, secret } = await createApiKey(services, { ...spec, merchantId }, operator)
      services.print(`Created API key ${encodeId('key', row.id)} for ${merchant}`)
      services.print(`The key is ${secret} (it is shown only once)`)
    },
  }),
]

const isPreset = (text: string): text is keyof typeof presets => Object.hasOwn(presets, text)

const readName = (given: string): string => {
  const name = givenName()(given)
  if (name instanceof type.errors) throw new StartError('--name must have 1 to 200 characters')
  return name
}

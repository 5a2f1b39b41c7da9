import { type } from 'arktype'
import { email } from '../access/email.ts'
import { type Address, parseAddress, requireAddress } from '../chain/address.ts'
import { readTreasuryCode } from '../chain/collect/treasury.ts'
import { type Ask, withinTime } from '../chain/rpc/ask.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { changeSettings } from '../commands/settings.ts'
import { refuse } from '../errors.ts'
import { findSettings, type SettingsChanges } from '../queries/settings.ts'
import { settingsRecord } from '../records/settings.ts'
import { accountActorOf } from './account-actor.ts'
import { checkAddressDocs, getSettingsDocs, updateSettingsDocs } from './docs/merchant.ts'
import { livemodeQuery } from './list.ts'
import { forMembers, type Parsed, type Route } from './route.ts'
import { requireStepUp } from './step-up.ts'
import { boundedText, shownText } from './text.ts'
import { webUrl } from './web-url.ts'

const path = '/v1/merchants/:merchantId/settings'

const name = () =>
  boundedText(0, 200)
    .pipe(text => text.trim())
    .to(shownText(1, 200))
const color = () => type('/^#[0-9a-fA-F]{6}$/').pipe(text => text.toLowerCase())
const address = () => type('string').pipe((text, ctx) => parseAddress(text) ?? ctx.error('an address'))
/** Chain IDs are numbers; as keys they are strings. */
const chainId = /^[1-9]\d{0,15}$/
const isChainMap = (map: object) =>
  !Array.isArray(map) && Object.keys(map).every(key => chainId.test(key) && Number.isSafeInteger(Number(key)))

const settingsChange = () =>
  type({
    'livemode?': 'boolean',
    'name?': name(),
    'branding?': type({
      'accentColor?': color().or('null'),
      'supportEmail?': email().or('null'),
      'supportUrl?': webUrl().or('null'),
    }),
    'receivingAddress?': address().or('null'),
    'receivingAddresses?': type({ '[string]': address().or('null') }).narrow(isChainMap),
    'confirmations?': type({ '[string]': '1 <= number.integer <= 10000 | null' }).narrow(isChainMap),
    'toleranceBps?': '0 <= number.integer <= 1000',
    'latePolicy?': "'accept_stablecoins' | 'needs_attention'",
    'refundMode?': "'manual' | 'signer'",
  })

/** A person waits for the answer. */
const CHECK_MS = 5_000

export const settingsRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path,
      docs: getSettingsDocs,
      query: livemodeQuery,
      handle: async ({ sql, settings: { publicUrl } }, { member, query }) => {
        const settings = await findSettings(sql, member.merchantId, query.livemode)
        return { status: 200, body: settingsRecord.render(settings ?? refuse('resource_not_found'), { publicUrl }) }
      },
    },
  ),

  forMembers(
    'PATCH',
    { role: 'developer' },
    {
      path,
      docs: updateSettingsDocs,
      query: livemodeQuery,
      body: settingsChange,
      handle: async (api, call) => {
        const { body, member, query } = call
        // The mode in the query and the mode in the body contradict each other.
        if (body.livemode === false && query.livemode) refuse('parameter_invalid', { param: 'livemode' })
        const redirectsMoney = body.receivingAddress !== undefined || body.receivingAddresses !== undefined
        if (redirectsMoney && member.role !== 'owner') refuse('insufficient_role')
        if (redirectsMoney || decidesOnMoney.some(name => body[name] !== undefined)) await requireStepUp(api, call)
        const settings = await changeSettings(
          api,
          { merchantId: member.merchantId, livemode: body.livemode ?? query.livemode, changes: changesOf(body) },
          accountActorOf(call),
        )
        return { status: 200, body: settingsRecord.render(settings, api.settings) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: `${path}/check-address`,
      docs: checkAddressDocs,
      query: livemodeQuery,
      body: () => type({ address: address() }),
      handle: async ({ chains }, { query: { livemode }, body }) => {
        const asked = chains.all.filter(({ chain }) => chain.livemode === livemode)
        const found = await Promise.all(
          asked.map(async ({ chain, rpc }) => ({
            chainId: chain.id,
            isContract: await isContract(withinTime(rpc, CHECK_MS), requireAddress(body.address)),
          })),
        )
        return { status: 200, body: { address: body.address, chains: found } }
      },
    },
  ),
]

/** Null if the chain does not answer. */
const isContract = async (ask: Ask, address: Address): Promise<boolean | null> => {
  try {
    return (await readTreasuryCode(ask, address)) !== null
  } catch (error) {
    if (error instanceof RpcFault || error instanceof RpcRefusal) return null
    throw error
  }
}

/** Settings that decide about money: signing of refunds, underpayment and finality. */
const decidesOnMoney = ['refundMode', 'toleranceBps', 'confirmations'] as const

/** From the names in the API to those of the columns. A field that was not sent is undefined. */
const changesOf = ({ branding, ...body }: Parsed<typeof settingsChange>): SettingsChanges => ({
  name: body.name,
  accent_color: branding?.accentColor,
  support_email: branding?.supportEmail,
  support_url: branding?.supportUrl,
  receiving_address: body.receivingAddress,
  receiving_addresses: body.receivingAddresses,
  confirmations: body.confirmations,
  tolerance_bps: body.toleranceBps,
  late_policy: body.latePolicy,
  refund_mode: body.refundMode,
})

import { afterAll, describe, expect, test } from 'bun:test'
import { parseAddress } from '../../src/chain/address.ts'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { factory } from '../../src/chain/forwarder.ts'
import { baseSepolia } from '../../src/chain/known/base.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { settingsRoutes } from '../../src/http/settings.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { deploy } from '../../src/sandbox/deploy.ts'
import { issueAddress } from '../chain/watch/ledger.ts'
import { anvil } from '../harness/anvil.ts'
import { apiServer } from '../harness/api.ts'
import { openPayment } from './payments.ts'
import { forgetProof, member, type Person, type Shop, shop } from './people.ts'

const server = await apiServer({ routes: settingsRoutes })
/** A server with a sandbox chain, and with a chain without a node. */
const chain = await anvil()
await deploy(chain.url)
const chainServer = await apiServer({
  routes: settingsRoutes,
  chains: outside =>
    connectChains([sandboxChain(sandboxContracts), baseSepolia], id => (id === 31337 ? [chain.url] : []), outside),
})
afterAll(async () => {
  for (const each of [server, chainServer, chain]) await each[Symbol.asyncDispose]()
})

const small = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const checked = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const usdcOnEthereum = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const other = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'

const read = ({ path, owner }: Shop, query = '') =>
  server.call('GET', `${path}/settings${query}`, { bearer: owner.bearer })
const change = ({ path }: Shop, by: Person, json: unknown, query = '') =>
  server.call('PATCH', `${path}/settings${query}`, { bearer: by.bearer, json })

type Change = { from: unknown; to: unknown }
type Entry = { changed: { confirmations?: Change; receivingAddresses?: Change } }

test('a new merchant has settings in both modes', async () => {
  const lamps = await shop(server.api)
  for (const livemode of [false, true]) {
    const answer = await read(lamps, `?livemode=${livemode}`)
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({
      object: 'settings',
      livemode,
      name: 'Lamps',
      branding: { logoUrl: null, accentColor: null, supportEmail: null, supportUrl: null },
      receivingAddress: null,
      receivingAddresses: {},
      confirmations: {},
      toleranceBps: 50,
      latePolicy: 'accept_stablecoins',
      refundMode: 'manual',
    })
  }
})

test('sent fields change, others stay, and null clears', async () => {
  const lamps = await shop(server.api)
  const first = await change(lamps, lamps.owner, {
    name: ' Lamps & Co ',
    branding: { supportUrl: 'https://lamps.example/help', accentColor: '#FFAA00' },
    receivingAddress: small,
    receivingAddresses: { 1: other, 137: small },
    confirmations: { 1: 12, 137: 200 },
    toleranceBps: 0,
    latePolicy: 'needs_attention',
    refundMode: 'signer',
  })
  expect(first.status).toBe(200)
  expect(first.json).toMatchObject({
    name: 'Lamps & Co',
    branding: { supportUrl: 'https://lamps.example/help', accentColor: '#ffaa00', supportEmail: null },
    receivingAddress: checked,
    receivingAddresses: { 1: other, 137: checked },
    confirmations: { 1: 12, 137: 200 },
    toleranceBps: 0,
    latePolicy: 'needs_attention',
    refundMode: 'signer',
  })
  const second = await change(lamps, lamps.owner, {
    branding: { supportUrl: null, supportEmail: 'help@lamps.example' },
    receivingAddress: null,
    receivingAddresses: { 1: null },
    confirmations: { 137: null },
  })
  expect(second.json).toMatchObject({
    name: 'Lamps & Co',
    branding: { supportUrl: null, accentColor: '#ffaa00', supportEmail: 'help@lamps.example' },
    receivingAddress: null,
    receivingAddresses: { 137: checked },
    confirmations: { 1: 12 },
    toleranceBps: 0,
  })
  expect((await read(lamps)).json).toEqual(second.json)
})

test('both modes share the name, and no setting that moves money', async () => {
  const lamps = await shop(server.api)
  await change(lamps, lamps.owner, { name: 'Both', receivingAddress: small, toleranceBps: 7 })
  await change(lamps, lamps.owner, { livemode: true, receivingAddress: other, confirmations: { 1: 64 } })
  await change(lamps, lamps.owner, { latePolicy: 'needs_attention' }, '?livemode=true')
  const live = { livemode: true, name: 'Both', receivingAddress: other, toleranceBps: 50, confirmations: { 1: 64 } }
  expect((await read(lamps, '?livemode=true')).json).toMatchObject({ ...live, latePolicy: 'needs_attention' })
  const inTest = { livemode: false, name: 'Both', receivingAddress: checked, toleranceBps: 7, confirmations: {} }
  expect((await read(lamps)).json).toMatchObject({ ...inTest, latePolicy: 'accept_stablecoins' })
  const both = await change(lamps, lamps.owner, { livemode: false }, '?livemode=true')
  expect(both.json).toMatchObject({ error: { code: 'parameter_invalid', param: 'livemode' } })
})

const refused = [
  ['parameter_invalid', 'receivingAddress', { receivingAddress: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeD' }],
  ['parameter_invalid', 'receivingAddress', { receivingAddress: `0x${'0'.repeat(40)}` }],
  ['parameter_invalid', 'receivingAddress', { receivingAddress: 5 }],
  ['parameter_invalid', 'receivingAddresses.1', { receivingAddresses: { 1: 'vitalik.eth' } }],
  ['parameter_invalid', 'receivingAddresses', { receivingAddresses: { '01': small } }],
  ['parameter_invalid', 'receivingAddresses', { receivingAddresses: { 9007199254740992: small } }],
  ['parameter_invalid', 'receivingAddresses', { receivingAddresses: [] }],
  ['parameter_invalid', 'receivingAddresses', { receivingAddresses: null }],
  ['parameter_invalid', 'confirmations.1', { confirmations: { 1: 0 } }],
  ['parameter_invalid', 'confirmations.1', { confirmations: { 1: 10_001 } }],
  ['parameter_invalid', 'confirmations.1', { confirmations: { 1: 1.5 } }],
  ['parameter_invalid', 'confirmations', { confirmations: { '-1': 5 } }],
  ['parameter_invalid', 'confirmations', { confirmations: [] }],
  ['parameter_invalid', 'toleranceBps', { toleranceBps: -1 }],
  ['parameter_invalid', 'toleranceBps', { toleranceBps: 1001 }],
  ['parameter_invalid', 'toleranceBps', { toleranceBps: '5' }],
  ['parameter_invalid', 'toleranceBps', { toleranceBps: null }],
  ['parameter_invalid', 'latePolicy', { latePolicy: 'accept' }],
  ['parameter_invalid', 'refundMode', { refundMode: 'automatic' }],
  ['parameter_invalid', 'name', { name: '' }],
  ['parameter_invalid', 'name', { name: '   ' }],
  ['parameter_invalid', 'name', { name: null }],
  ['parameter_invalid', 'name', { name: 'x'.repeat(201) }],
  // It is uploaded.
  ['parameter_unknown', 'branding.logoUrl', { branding: { logoUrl: 'https://lamps.example/logo.png' } }],
  ['parameter_unknown', 'branding.logoUrl', { branding: { logoUrl: null } }],
  ['parameter_invalid', 'branding.supportUrl', { branding: { supportUrl: 'javascript:alert(1)' } }],
  [
    'parameter_invalid',
    'branding.supportUrl',
    { branding: { supportUrl: `https://lamps.example/${'x'.repeat(2048)}` } },
  ],
  ['parameter_invalid', 'branding.supportUrl', { branding: { supportUrl: 'https://lamps.example/\n' } }],
  ['parameter_invalid', 'branding.supportUrl', { branding: { supportUrl: 'https://' } }],
  ['parameter_invalid', 'branding.accentColor', { branding: { accentColor: 'red' } }],
  ['parameter_invalid', 'branding.supportEmail', { branding: { supportEmail: 'nobody' } }],
  ['parameter_invalid', 'branding.supportUrl', { branding: { supportUrl: 'ftp://lamps.example' } }],
  ['parameter_invalid', 'branding.supportUrl', { branding: { supportUrl: 'https://anna:secret@lamps.example' } }],
  ['parameter_unknown', 'branding.colour', { branding: { colour: '#ffffff' } }],
  ['parameter_unknown', 'tolerance', { tolerance: 5 }],
] as const

test('an address that belongs to a token, the collecting contract or a payment cannot be a receiving address', async () => {
  const lamps = await shop(server.api)
  const opened = await openPayment(server.api, { merchantId: lamps.merchantId, livemode: false })
  await issueAddress(server.sql, opened)
  const addresses = [usdcOnEthereum, usdcOnEthereum.toLowerCase(), factory, opened.address.toLowerCase()]
  for (const address of addresses)
    for (const [param, json] of [
      ['receivingAddress', { receivingAddress: address }],
      ['receivingAddresses.8453', { receivingAddresses: { 1: small, 8453: address } }],
    ] as const) {
      const answer = await change(lamps, lamps.owner, json)
      expect(answer).toMatchObject({ status: 400, json: { error: { code: 'parameter_invalid', param } } })
    }
  expect((await read(lamps)).json).toMatchObject({ receivingAddress: null, receivingAddresses: {} })
})

test('an invalid value is named and nothing changes', async () => {
  const lamps = await shop(server.api)
  const before = await read(lamps)
  for (const [code, param, json] of refused) {
    const answer = await change(lamps, lamps.owner, { toleranceBps: 1, ...json })
    expect([json, answer.status, answer.json]).toMatchObject([json, 400, { error: { code, param } }])
  }
  expect((await read(lamps)).json).toEqual(before.json)
})

test('a developer sets everything except receiving addresses, and a viewer nothing', async () => {
  const lamps = await shop(server.api)
  const developer = await member(server.api, lamps, 'developer')
  const viewer = await member(server.api, lamps, 'viewer')
  expect((await change(lamps, developer, { toleranceBps: 10 })).status).toBe(200)
  for (const json of [{ receivingAddress: small }, { receivingAddress: null }, { receivingAddresses: {} }]) {
    const answer = await change(lamps, developer, { toleranceBps: 20, ...json })
    expect([answer.status, answer.json]).toMatchObject([403, { error: { code: 'insufficient_role' } }])
  }
  expect((await change(lamps, viewer, { toleranceBps: 30 })).status).toBe(403)
  // Without asking for a proof of identity, which would not help.
  await forgetProof(server.api, developer)
  const unproven = await change(lamps, developer, { receivingAddress: small })
  expect(unproven.json).toMatchObject({ error: { code: 'insufficient_role' } })
  expect((await read(lamps)).json).toMatchObject({ toleranceBps: 10, receivingAddress: null })
})

test('changing a receiving address needs a password entered within the last five minutes', async () => {
  const lamps = await shop(server.api)
  await forgetProof(server.api, lamps.owner)
  for (const json of [{ receivingAddress: small }, { receivingAddresses: { 1: small } }]) {
    const answer = await change(lamps, lamps.owner, json)
    expect([answer.status, answer.json]).toMatchObject([403, { error: { code: 'step_up_required' } }])
  }
  expect((await change(lamps, lamps.owner, { name: 'Still' })).status).toBe(200)
})

test.each([{ refundMode: 'signer' }, { toleranceBps: 1000 }, { confirmations: { 1: 1 } }])(
  '%j needs a password entered within the last five minutes',
  async json => {
    const lamps = await shop(server.api)
    const developer = await member(server.api, lamps, 'developer')
    const before = await read(lamps)
    for (const each of [lamps.owner, developer]) {
      await forgetProof(server.api, each)
      const { status, json: said } = await change(lamps, each, json)
      expect([status, said]).toMatchObject([403, { error: { code: 'step_up_required' } }])
    }
    expect((await read(lamps)).json).toEqual(before.json)
    await server.sql`update sessions set proven_at = now() where account_id = ${developer.accountId}`
    expect((await change(lamps, developer, json)).status).toBe(200)
  },
)

test('a member whose role was changed by another process a moment ago changes nothing', async () => {
  const lamps = await shop(server.api)
  await read(lamps)
  // Without notifying this process.
  await server.sql`update members set role = 'developer' where merchant_id = ${lamps.merchantId}`
  const answer = await change(lamps, lamps.owner, { receivingAddress: small })
  expect(answer.json).toMatchObject({ error: { code: 'insufficient_role' } })
  expect(await server.sql`select from receiving_addresses where merchant_id = ${lamps.merchantId}`).toHaveLength(0)
})

test('two simultaneous changes of different fields are both kept', async () => {
  const lamps = await shop(server.api)
  const chains = Array.from({ length: 20 }, (_, i) => i + 1)
  const answers = await Promise.all(
    chains.flatMap(chain => [
      change(lamps, lamps.owner, { confirmations: { [chain]: chain } }),
      change(lamps, lamps.owner, { receivingAddresses: { [chain]: small } }),
    ]),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect((await read(lamps)).json).toMatchObject({
    confirmations: Object.fromEntries(chains.map(chain => [chain, chain])),
    receivingAddresses: Object.fromEntries(chains.map(chain => [chain, checked])),
  })

  // The entries of the log form one sequence: each change starts from the result of the previous one.
  const log = await server.sql<
    { details: Entry }[]
  >`select details from security_events where merchant_id = ${lamps.merchantId} order by seq`
  expect(log).toHaveLength(40)
  for (const field of ['confirmations', 'receivingAddresses'] as const) {
    const steps = log.flatMap(({ details }) => details.changed[field] ?? [])
    expect(steps.map(({ from }) => from)).toEqual([{}, ...steps.slice(0, -1).map(({ to }) => to)])
  }
})

test('a hundred chains can have their own values, and no more', async () => {
  const lamps = await shop(server.api)
  const of = (from: number, to: number) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, i) => [from + i, 5]))
  expect((await change(lamps, lamps.owner, { confirmations: of(1, 101) })).status).toBe(200)
  expect((await change(lamps, lamps.owner, { confirmations: of(101, 102) })).status).toBe(400)
  expect((await change(lamps, lamps.owner, { confirmations: { 1: null, 101: 5 } })).status).toBe(200)
})

test('the audit log has author, address and new values of a change, and no unchanged values', async () => {
  const lamps = await shop(server.api)
  await change(lamps, lamps.owner, {
    name: 'Lamps',
    toleranceBps: 60,
    receivingAddress: small,
    latePolicy: 'accept_stablecoins',
  })
  await change(lamps, lamps.owner, { toleranceBps: 60 })
  const rows =
    await server.sql`select actor, address, action, details from security_events where merchant_id = ${lamps.merchantId}`
  expect([...rows]).toEqual([
    {
      actor: lamps.owner.id,
      address: '127.0.0.1',
      action: 'settings.changed',
      details: {
        livemode: false,
        changed: { toleranceBps: { from: 50, to: 60 }, receivingAddress: { from: null, to: checked } },
      },
    },
  ])
})

describe('POST /settings/check-address', () => {
  const check = ({ path }: Shop, by: Person, json: unknown, query = '') =>
    chainServer.call('POST', `${path}/settings/check-address${query}`, { bearer: by.bearer, json })

  test('200: on which chains of the mode the address is a contract; null for a chain that does not answer', async () => {
    const lamps = await shop(chainServer.api)
    const on = (isContract: boolean) => [
      { chainId: 31337, isContract },
      { chainId: 84532, isContract: null },
    ]
    const contract = await check(lamps, lamps.owner, { address: factory })
    expect([contract.status, contract.json]).toEqual([200, { address: parseAddress(factory), chains: on(true) }])
    expect((await check(lamps, lamps.owner, { address: small })).json).toEqual({ address: checked, chains: on(false) })
    const live = await check(lamps, lamps.owner, { address: small }, '?livemode=true')
    expect(live.json).toEqual({ address: checked, chains: [] })
  })

  test.each<[unknown, string, string | undefined]>([
    [{}, 'parameter_missing', 'address'],
    [{ address: 'x' }, 'parameter_invalid', 'address'],
    [{ address: small.replace('a', 'A') }, 'parameter_invalid', 'address'],
    [{ address: `0x${'0'.repeat(40)}` }, 'parameter_invalid', 'address'],
    [{ address: null }, 'parameter_invalid', 'address'],
    [{ address: small, chainId: 1 }, 'parameter_unknown', 'chainId'],
  ])('400: %j', async (json, code, param) => {
    const lamps = await shop(chainServer.api)
    const answer = await check(lamps, lamps.owner, json)
    expect([answer.status, answer.json]).toMatchObject([400, { error: { code, param } }])
  })

  test('403: a viewer', async () => {
    const lamps = await shop(chainServer.api)
    const vera = await member(chainServer.api, lamps, 'viewer')
    expect((await check(lamps, vera, { address: small })).status).toBe(403)
  })
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { parseRecoveryFile } from '../../src/chain/recovery/file.ts'
import { recover } from '../../src/chain/recovery/recover.ts'
import { recoverySecretOf } from '../../src/commands/deposits.ts'
import { recoveryFileRoutes } from '../../src/http/recovery-file.ts'
import { settingsRoutes } from '../../src/http/settings.ts'
import { sandboxTreasury } from '../../src/sandbox/treasury.ts'
import { askAt } from '../chain/contracts/ask.ts'
import { type FactoryChain, factoryChain } from '../chain/contracts/chain.ts'
import { addressesOf, chainOf, connected, otherTreasury, treasury } from '../collect/waiting.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { forgetProof, member, type Person, type Shop, shop } from './people.ts'

let chain: FactoryChain
let server: ApiServer

beforeAll(async () => {
  chain = await factoryChain()
  const token = `0x${'1'.repeat(40)}`
  server = await apiServer({
    routes: [...recoveryFileRoutes, ...settingsRoutes],
    chains: connected([
      { chain: chainOf(token), urls: [chain.url] },
      { chain: { ...chainOf(token, 1), livemode: true }, urls: ['http://127.0.0.1:9/key'] },
    ]),
  })
})
afterAll(async () => {
  for (const each of [server, chain]) await each[Symbol.asyncDispose]()
})

const download = ({ path, owner }: Shop, by: Person = owner) =>
  server.call('GET', `${path}/recovery-file`, { bearer: by.bearer })
const receiveAt = async ({ path, owner }: Shop, receivingAddress: string | null, livemode = false) => {
  const answer = await server.call('PATCH', `${path}/settings`, {
    bearer: owner.bearer,
    json: { livemode, receivingAddress },
  })
  expect(answer.status).toBe(200)
}
const codeOf = ({ json }: { json: unknown }) => (json as { error?: { code: string } }).error?.code

// The first of the accounts that every anvil has.
const rich = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

test('what was paid to every treasury is found and collected with only the file and a node', async () => {
  const lamps = await shop(server.api)
  await receiveAt(lamps, treasury)
  const before = await addressesOf(server.api, lamps, 2)
  await receiveAt(lamps, otherTreasury)
  const after = await addressesOf(server.api, lamps, 1, { to: otherTreasury })
  for (const address of [...before, ...after]) await chain.pay(address, 5n)

  const { status, headers, text } = await download(lamps)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="paymachine-recovery-mer_\w{26}\.json"$/)
  const said: string[] = []
  const recovery = parseRecoveryFile(text)
  expect(recovery).toMatchObject({
    highestCounter: 2,
    treasuries: [{ address: treasury }, { address: otherTreasury }, { onlyOn: 31337 }],
  })
  const say = (line: string) => said.push(line)
  await recover({ ask: askAt(chain.url), recovery, tokens: [], gap: 10, account: rich, say, print: say })
  expect([await chain.nativeBalance(treasury), await chain.nativeBalance(otherTreasury)]).toEqual([10n, 5n])
  expect(said.join('\n')).toContain(`2 of 13 addresses hold money for ${treasury}`)
})

test('it lists the tokens of every enabled chain, of both modes', async () => {
  const lamps = await shop(server.api)
  await receiveAt(lamps, treasury)
  const tokens = [{ asset: 'TUSD', address: `0x${'1'.repeat(40)}`, decimals: 6 }] as const
  expect(parseRecoveryFile((await download(lamps)).text).chains).toEqual([
    { chainId: 31337, tokens: [...tokens] },
    { chainId: 1, tokens: [...tokens] },
  ])
})

test('a merchant without payments has a file too, which covers later payments', async () => {
  const lamps = await shop(server.api)
  await receiveAt(lamps, treasury)
  const { secret, highestCounter, treasuries } = parseRecoveryFile((await download(lamps)).text)
  expect(highestCounter).toBeNull()
  expect(treasuries).toEqual([
    { address: treasury, codeHash: null, onlyOn: null },
    { address: sandboxTreasury(lamps.merchantId), codeHash: null, onlyOn: 31337 },
  ])
  expect(secret).toEqual(await recoverySecretOf(server.api, server.api.keyring, lamps.merchantId))
})

test('a contract treasury is listed as a contract, with its chains', async () => {
  const lamps = await shop(server.api)
  const safe = await chain.deploy('reentering-treasury')
  await receiveAt(lamps, safe)
  const { treasuries } = parseRecoveryFile((await download(lamps)).text)
  expect(treasuries[0]).toEqual({
    address: safe,
    codeHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    onlyOn: null,
  } as never)
  // For a chain that does not respond the kind is unknown.
  await receiveAt(lamps, safe, true)
  expect(parseRecoveryFile((await download(lamps)).text).treasuries).toEqual(treasuries)
  await receiveAt(lamps, null)
  expect(codeOf(await download(lamps))).toBe('chain_unavailable')
})

test('an address that is no contract in test mode may be one in live mode: an unreachable chain makes the download fail', async () => {
  const lamps = await shop(server.api)
  await receiveAt(lamps, treasury)
  expect((await download(lamps)).status).toBe(200)
  await receiveAt(lamps, treasury, true)
  expect(await download(lamps)).toMatchObject({ status: 503, json: { error: { code: 'chain_unavailable' } } })
})

test('only owners with a recent password download it, and every download is in the audit log', async () => {
  const lamps = await shop(server.api)
  await receiveAt(lamps, treasury)
  expect(codeOf(await download(lamps, await member(server.api, lamps, 'developer')))).toBe('insufficient_role')
  expect((await download(lamps)).status).toBe(200)
  const log = await server.sql`
    select actor, address, details from security_events
    where merchant_id = ${lamps.merchantId} and action = 'recovery_file.downloaded'`
  expect([...log]).toEqual([{ actor: lamps.owner.id, address: '127.0.0.1', details: {} }])
  // Without notifying this process.
  await server.sql`update members set role = 'developer' where merchant_id = ${lamps.merchantId} and role = 'owner'`
  expect(codeOf(await download(lamps))).toBe('insufficient_role')
  await forgetProof(server.api, lamps.owner)
  expect(codeOf(await download(lamps))).toBeOneOf(['step_up_required', 'insufficient_role'])
  expect(
    await server.sql`select from security_events where action = 'recovery_file.downloaded' and merchant_id = ${lamps.merchantId}`,
  ).toHaveLength(1)
})

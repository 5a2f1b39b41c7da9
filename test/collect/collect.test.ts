import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Hex } from 'viem'
import { runCollect } from '../../src/collect/run.ts'
import { encodeId } from '../../src/ids.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { anvil, type TestChain } from '../harness/anvil.ts'
import { type ApiServer, apiServer, SECRET_KEY } from '../harness/api.ts'
import { usedFolder } from '../harness/embedded-parent.ts'
import { startMain } from '../harness/main.ts'
import { type Shop, shop } from '../http/people.ts'
import { dollarsOf, type Opened, opened } from '../sandbox/opened.ts'
import { addressesOf, bookFinal, otherTreasury, treasury } from './waiting.ts'

let node: TestChain
let sandbox: Opened
let instance: ApiServer
let env: Record<string, string>
const token = sandboxContracts.token as Hex

beforeAll(async () => {
  node = await anvil({ fast: false })
  sandbox = await opened('/nowhere', node.url)
  instance = await apiServer({ routes: [] })
  env = { DATABASE_URL: instance.databaseUrl, SECRET_KEY, SANDBOX_RPC_URL: node.url }
})
afterAll(async () => {
  for (const each of [instance, sandbox, node]) await each[Symbol.asyncDispose]()
})

/** The command as an operator runs it. */
const run = async (args: readonly string[], { input, env: more = {} }: { input?: string; env?: object } = {}) => {
  const path = fileURLToPath(new URL('../../src/collect/main.ts', import.meta.url))
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env, ...more },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(input ?? '')
  const exited = new Promise<number | null>(resolve => child.on('close', resolve))
  const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { exit: await exited, printed, said }
}

/** The same in this process, for refusals: as many processes would test no more and take a second each. */
const runHere: typeof run = async (args, { input = '', env: more = {} } = {}) => {
  const printed: string[] = []
  const said: string[] = []
  const exit = await runCollect(args, {
    variables: { ...env, ...more },
    print: line => void printed.push(`${line}\n`),
    say: what => void said.push(`${what}\n`),
    readInput: async () => input,
  })
  return { exit, printed: printed.join(''), said: said.join('') }
}
const idOf = ({ merchantId }: Shop) => encodeId('mer', merchantId)
const collect = (of: Shop, args: readonly string[] = [], options = {}) => run([idOf(of), '31337', ...args], options)

// The third of the accounts that every anvil has.
const key = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'

const pay = async (of: Shop, count: number, given = {}) => {
  const addresses = await addressesOf(instance.api, of, count, given)
  await mint(addresses)
  return addresses
}
const mint = async (addresses: readonly Hex[]) => {
  const word = (text: string) => text.padStart(64, '0')
  // One after the other: two at the same time would get the same nonce.
  for (const to of addresses) {
    const data = `0x40c10f19${word(to.slice(2))}${word((2_500_000).toString(16))}`
    await node.call('eth_sendTransaction', { from: node.accounts[1], to: token, data, gas: '0x186a0' })
  }
  await bookFinal(instance.api, { node }, addresses, { token })
}

test('200 addresses are collected in one transaction, other treasuries in theirs, and later money again', async () => {
  const lamps = await shop(instance.api)
  const addresses = await pay(lamps, 200)
  await pay(lamps, 1, { to: otherTreasury })
  await pay(lamps, 1, { open: true })

  const shown = await collect(lamps)
  expect(shown).toMatchObject({ exit: 0 })
  expect(shown.said).toContain(
    'Sandbox (31337): 505 TUSD at 202 addresses\n  2.5 TUSD stays at 1 address: the payment is still open',
  )
  expect(shown.printed.trim().split('\n')).toHaveLength(2)
  const [first = '{}'] = shown.printed.split('\n')
  expect(JSON.parse(first)).toMatchObject({ chainId: 31337, value: '0x0', gas: expect.stringMatching(/^0x[0-9a-f]+$/) })

  const sent = await collect(lamps, ['--send'], { input: `${key}\n` })
  expect(sent).toMatchObject({ exit: 0, printed: '' })
  expect(sent.said).toContain('To 0x52908400098527886E0F7030069857D2E4169EE7, which has 0 ETH, 0 TUSD:\n  0x')
  expect(sent.said).toContain('\n  it has 0 ETH, 500 TUSD now\n')
  expect(sent.said).toEndWith(
    'Sandbox (31337): 2.5 TUSD at 1 address\n  2.5 TUSD stays at 1 address: the payment is still open\n',
  )
  expect(Number(/ 200 addresses, (\d+) gas each/.exec(sent.said)?.[1])).toBeWithin(30_000, 60_001)
  expect(await dollarsOf(node.url, treasury)).toBe(500_000_000)
  expect(await dollarsOf(node.url, otherTreasury)).toBe(2_500_000)
  expect(sent.said).not.toContain(key.slice(2))

  await mint(addresses.slice(0, 50))
  const again = await collect(lamps, ['--asset', 'TUSD', '--send'], { input: key.slice(2) })
  expect(again.exit, again.said).toBe(0)
  expect(Number(/ 50 addresses, (\d+) gas each/.exec(again.said)?.[1])).toBeWithin(1, 20_000)
  expect(await dollarsOf(node.url, treasury)).toBe(625_000_000)
})

test('without waiting money nothing is sent', async () => {
  const lamps = await shop(instance.api)
  const nothing = { exit: 0, printed: '', said: 'Sandbox (31337): nothing waits to be collected\n' }
  expect(await collect(lamps)).toEqual(nothing)
  expect(await collect(lamps, ['--send'], { input: key })).toEqual(nothing)
})

test('an account that cannot pay the gas gets an error, and nothing is moved', async () => {
  const lamps = await shop(instance.api)
  const [address = '0x'] = await pay(lamps, 1)
  const { exit, said } = await collect(lamps, ['--send'], { input: `0x${'12'.repeat(32)}` })
  expect(exit).toBe(1)
  expect(said.trim().split('\n').at(-1)).toMatch(
    /^eth_sendRawTransaction was refused: .*check that 0x\w{40} has native currency for gas$/,
  )
  expect(await dollarsOf(node.url, address)).toBe(2_500_000)
})

type Case = readonly [args: readonly string[], says: RegExp, options?: Parameters<typeof run>[1]]

test('an error is one line without secrets', async () => {
  const lamps = await shop(instance.api)
  await pay(lamps, 1)
  const id = idOf(lamps)
  const unreachable = 'http://127.0.0.1:9/api-key-1234'
  const cases: readonly Case[] = [
    [[], /^Usage: bun run collect /],
    [['mer_x', '31337'], /^There is no merchant mer_x: see `bun run admin merchants`$/],
    [[id, '8453'], /^Chain 8453 is not enabled: set RPC_URLS_8453 to the URLs of its nodes, as for the server$/],
    [[id, '8453'], /^Chain 8453 is a live mode chain: add --live$/, { env: { RPC_URLS_8453: unreachable } }],
    [[id, '31337', '--asset', 'USDC'], /^--asset must be an asset of chain 31337: ETH, TUSD$/],
    [[id, '31337', '--send'], /^Standard input is not a private key: /, { input: 'key-1234' }],
    [
      [id, '31337'],
      /^Chain 31337: No valid answer from .*; check that its server is running$/,
      { env: { SANDBOX_RPC_URL: unreachable } },
    ],
    [[id, '31337'], /^The sandbox chain is not running: start the server/, { env: { SANDBOX: 'off' } }],
    [
      [id, '31337'],
      /^The secrets in this database were encrypted with another key than SECRET_KEY: /,
      { env: { SECRET_KEY: 'another key than that of this instance' } },
    ],
  ]
  // One of them as a process.
  const answers = await Promise.all(cases.map(([args, , options], at) => (at === 6 ? run : runHere)(args, options)))
  for (const [at, { exit, printed, said }] of answers.entries()) {
    const [args = [], says = /^$/] = cases[at] ?? []
    expect([args, exit, printed]).toEqual([args, 1, ''])
    expect(said.trim()).toMatch(says)
    expect(said).not.toContain('1234')
  }
})

test('the command finds the database and the sandbox of a data folder while its server runs, and the database when it is stopped', async () => {
  await using folder = await usedFolder()
  const own = { env: { DATABASE_URL: '', SECRET_KEY: '', SANDBOX_RPC_URL: '', DATA_DIR: folder.path } }
  await using main = await startMain({ DATA_DIR: folder.path, SANDBOX: 'on' })
  const signedUp = await fetch(`${main.url}/v1/auth/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'anna@lamps.shop', password: 'correct horse battery', merchantName: 'Lamps' }),
  })
  const { merchants } = (await signedUp.json()) as { merchants: { id: string }[] }
  const args = [merchants[0]?.id ?? '', '31337']
  const nothing = { exit: 0, printed: '', said: 'Sandbox (31337): nothing waits to be collected\n' }
  expect(await run(args, own)).toEqual(nothing)
  main.child.kill('SIGTERM')
  await main.exited
  expect(await run(args, own)).toEqual(nothing)
})

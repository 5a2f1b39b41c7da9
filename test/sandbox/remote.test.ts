import { expect, test } from 'bun:test'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { getHead } from '../../src/sandbox/node-client.ts'
import { anvil, type TestChain } from '../harness/anvil.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { until } from '../harness/until.ts'
import { unusedPort } from '../harness/unused-port.ts'
import { deployerNonce, dollarsOf, mint, opened } from './opened.ts'

const recipient = '0x00000000000000000000000000000000000a11ce'
const nowhere = '/nowhere'

test.each([
  ['mines every transaction', {}],
  ['never mines', { mining: 'none' }],
  ['mines every second', { args: ['--block-time', '1'] }],
  ['has no deployment proxy', { args: ['--disable-default-create2-deployer'] }],
] as const)('a node that %s gets the contracts at the same addresses', async (_, options) => {
  await using chain = await anvil(options)
  await using sandbox = await opened(nowhere, chain.url)
  expect(sandbox.contracts).toEqual(sandboxContracts)
  await until(async () => (await chain.call('eth_getCode', sandboxContracts.feed, 'latest')) !== '0x')
  await mint(chain.url, recipient, 7)
  await until(async () => (await dollarsOf(chain.url, recipient)) === 7)
  expect(sandbox.epoch()).toBe((await getHead(chain.url, '0x0')).hash)
  expect(sandbox.problem()).toBeUndefined()
})

test("an instance that uses another one's chain by its URL knows the same epoch, also after restarts", async () => {
  await using folder = dataFolder()
  const epochs: unknown[] = []
  for (let round = 0; round < 2; round++) {
    await using own = await opened(folder.path)
    await using far = await opened(nowhere, own.url)
    expect(far.epoch()).toBe(own.epoch())
    await mint(own.url, recipient, 1)
    epochs.push(far.epoch())
  }
  expect(epochs[1]).toBe(epochs[0])
})

test('two instances that start with one node deploy the contracts once', async () => {
  await using chain = await anvil({ mining: 'none' })
  const instances = await Promise.all([opened(nowhere, chain.url), opened(nowhere, chain.url)])
  for (const instance of instances) expect(instance.problem()).toBeUndefined()
  const nonce = await deployerNonce(chain.url)
  await using _later = await opened(nowhere, chain.url)
  expect(await deployerNonce(chain.url)).toBe(nonce)
  await Promise.all(instances.map(instance => instance.stop()))
})

test('nothing is sent to a chain with another id', async () => {
  await using chain = await anvil({ args: ['--chain-id', '1'] })
  await using sandbox = await opened(nowhere, chain.url)
  await using _busy = sandbox.keepMining()
  expect(sandbox.problem()).toBe('wrong_chain')
  expect(await chain.head()).toMatchObject({ number: 0 })
  expect(await deployerNonce(chain.url)).toBe(0)
})

test('a node that starts later is found, and one that comes back empty starts a new epoch', async () => {
  const port = await unusedPort()
  await using sandbox = await opened(nowhere, `http://127.0.0.1:${port}/?key=secret`)
  expect(sandbox.problem()).toBe('unreachable')
  const isReady = async (chain: TestChain) =>
    (await chain.call('eth_getCode', sandboxContracts.token, 'latest')) !== '0x' && sandbox.problem() === undefined
  let first: string | undefined
  {
    await using chain = await anvil({ port })
    await until(() => isReady(chain))
    first = sandbox.epoch()
  }
  await until(() => sandbox.problem() === 'unreachable')
  await using again = await anvil({ port })
  await until(() => isReady(again))
  expect(sandbox.epoch()).not.toBe(first)
  expect(sandbox.logged).toEqual([
    'The sandbox chain is not available: its node does not respond',
    'The sandbox chain is available again',
    'The sandbox chain is not available: its node does not respond',
    'The sandbox chain is available again',
  ])
})

test.each([
  ['garbage', () => new Response('<html>secret</html>')],
  ['nothing', () => new Response(null, { status: 204 })],
  ['a refusal', () => Response.json({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'secret' } })],
])('a node that responds with %s is reported as trouble, without repeating the response', async (_, answer) => {
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  await using sandbox = await opened(nowhere, `http://127.0.0.1:${server.port}/secret`)
  expect(sandbox.problem()).toBeOneOf(['unreachable', 'refuses'])
  expect(sandbox.logged).toHaveLength(1)
  expect(sandbox.logged.join()).not.toContain('secret')
})

test('the start does not wait for a node that does not respond', async () => {
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise<Response>(() => {}) })
  const since = performance.now()
  const sandbox = await opened(nowhere, server.url.href)
  expect(performance.now() - since).toBeLessThan(3_000)
  void sandbox.stop()
})

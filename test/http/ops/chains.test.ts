import { afterAll, expect, test } from 'bun:test'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { recordNodes } from '../../../src/chain/watch/record-nodes.ts'
import { manualClock } from '../../../src/clock.ts'
import { routes } from '../../../src/http/routes.ts'
import { openLog } from '../../../src/log.ts'
import { changedNode, testChain } from '../../chain/watch/test-node.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { unusedPort } from '../../harness/unused-port.ts'
import { operator } from '../people.ts'
import { simulationServer } from '../simulations.ts'

type Chain = {
  readonly chainId: number
  readonly head: number | null
  readonly cursor: number | null
  readonly lagBlocks: number | null
  readonly lastBlockAt: string | null
  readonly readAt: string | null
  readonly stoppedAt: string | null
  readonly nodes: readonly { readonly label: string; readonly state: string; readonly lastError: string | null }[]
  readonly prices: readonly { readonly pair: string; readonly rate: string | null; readonly at: string | null }[]
}

const readChains = async (server: ApiServer) => {
  const { bearer } = await operator(server.api)
  return async () => {
    const { status, json, text } = await server.call('GET', '/v1/ops/chains', { bearer })
    expect(status).toBe(200)
    return { chains: (json as { data: readonly Chain[] }).data, text }
  }
}

const log = openLog('silent')
const random = crypto.getRandomValues.bind(crypto)

test('a process that only serves requests shows the nodes as the process sees them that reads the chain', async () => {
  await using anvil = await testChain()
  await anvil.mine(20)
  const answering = await changedNode(anvil.url, (_, answer) => answer)
  let lag = 0
  const lagging = await changedNode(anvil.url, ({ method }, answer) =>
    method === 'eth_blockNumber' ? `0x${(Number(answer) - lag).toString(16)}` : answer,
  )
  const [up, slow] = [new URL(answering.url).host, new URL(lagging.url).host]
  const down = `127.0.0.1:${await unusedPort()}`
  const urls = [
    `http://${up}/v3/key-in-path?token=key-in-query`,
    `http://user:password-in-url@${slow}/`,
    `http://${down}/key-in-path`,
    `http://user:password-in-url@${down}/rpc`,
  ]
  const chain = sandboxChain({ token: anvil.token, feed: anvil.token, euroFeed: anvil.token })
  await using server = await apiServer({ routes, chains: outside => connectChains([chain], () => urls, outside) })
  const read = await readChains(server)

  const before = await read()
  expect(before.chains).toEqual([
    {
      chainId: 31337,
      name: expect.any(String),
      head: null,
      cursor: null,
      lagBlocks: null,
      lastBlockAt: null,
      readAt: null,
      stoppedAt: null,
      nodes: [],
      prices: expect.any(Array),
    },
  ] as never)

  // The process that reads the chain.
  const clock = manualClock()
  const reading = connectChains([chain], () => urls, { clock, random, log })
  const ask = async () => {
    // Nodes are compared every ten seconds.
    clock.advance(11_000)
    await reading.all[0]?.rpc.both([{ method: 'eth_blockNumber', params: [] }], () => 0)
  }
  await ask()
  const recording = recordNodes(
    { sql: server.sql, log },
    { chains: reading.all, share: () => ({ position: 0, count: 1 }) },
  )
  // While a round of probes is under way, heads cannot be compared: so nodes are asked less often than they are recorded.
  let askedAt = 0
  const stateOf = async () => {
    if (performance.now() - askedAt > 2_500) {
      askedAt = performance.now()
      await ask()
    }
    const { chains, text } = await read()
    return { nodes: chains[0]?.nodes.map(({ label, state, lastError }) => [label, state, lastError]), text }
  }
  const paused = [
    [down, 'paused', 'unreachable'],
    [`${down} (2)`, 'paused', 'unreachable'],
  ]
  const whole = [[up, 'healthy', null], [slow, 'healthy', null], ...paused]
  await until(async () => Bun.deepEquals((await stateOf()).nodes, whole))
  lag = 15
  await until(async () => Bun.deepEquals((await stateOf()).nodes?.[1], [slow, 'behind', null]))
  const { text } = await stateOf()
  for (const secret of ['key-in', 'password-in', 'user', '/v3', '/rpc']) expect(text).not.toContain(secret)

  // The process was killed.
  await recording.stop()
  await server.sql`update chain_nodes set recorded_at = now() - interval '31 s'`
  expect((await stateOf()).nodes?.map(([, state]) => state)).toEqual(Array(4).fill('unknown'))
  reading.close()
  await Promise.all([answering[Symbol.asyncDispose](), lagging[Symbol.asyncDispose]()])
})

test('a chain is shown with its blocks and its prices', async () => {
  const instance = await simulationServer()
  afterAll(() => instance[Symbol.asyncDispose]())
  const read = await readChains(instance.server)
  const chain = await until(async () => {
    const [chain] = (await read()).chains
    return chain?.nodes[0]?.state === 'healthy' && chain.cursor !== null && chain.prices[0]?.rate ? chain : undefined
  })
  expect([chain.chainId, typeof chain.lagBlocks, typeof chain.lastBlockAt]).toEqual([31337, 'number', 'string'])
  expect(Math.abs(Date.parse(chain.readAt ?? '') - Date.now())).toBeLessThan(60_000)
  expect(chain.stoppedAt).toBeNull()
  expect(chain.lagBlocks).toBe(Math.max(0, (chain.head ?? -1) - (chain.cursor ?? 0)))
  expect(chain.prices.map(({ pair }) => pair)).toEqual(['ETH / USD', 'EUR / USD'])
  for (const { rate, at } of chain.prices) {
    expect(Number(rate)).toBeGreaterThan(0)
    expect(at).toBeString()
  }
})

test('a chain that was reorganized below its final block is shown with the time since when it is not read', async () => {
  const nowhere = `0x${'0'.repeat(40)}`
  const chain = sandboxChain({ token: nowhere, feed: nowhere, euroFeed: nowhere })
  const url = `http://127.0.0.1:${await unusedPort()}`
  await using server = await apiServer({ routes, chains: outside => connectChains([chain], () => [url], outside) })
  const read = await readChains(server)
  await server.sql`
    insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step, stopped_at)
    values (31337, 7, ${`0x${'7'.repeat(64)}`}, now(), 7, 1, '2026-11-20T12:00:00Z')`
  expect((await read()).chains[0]).toMatchObject({ cursor: 7, stoppedAt: '2026-11-20T12:00:00.000Z' })
})

import { afterAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { inspect } from 'node:util'
import { openNode } from '../../../src/chain/rpc/node.ts'
import { type RpcCall, RpcFault, RpcRefusal } from '../../../src/chain/rpc/rpc.ts'
import type { Faults } from '../../harness/faulty-node.ts'
import { until } from '../../harness/until.ts'
import { rateLimitedNode } from '../watch/test-node.ts'
import { type Nodes, openNodes, tokenChain } from './nodes.ts'

const chain = await tokenChain()
await chain.mine(20)
afterAll(() => chain[Symbol.asyncDispose]())

const blocks = (count: number): readonly RpcCall[] =>
  Array.from({ length: count }, (_, at) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${at.toString(16)}`, false],
  }))

const balance: RpcCall = { method: 'eth_getBalance', params: [chain.accounts[0], 'latest'] }

const logs: RpcCall = { method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: '0x1' }] }

/** A node that limits every request. */
const limiting = async (how: 429 | 'one error' | 'an error for each call') => {
  const asked: number[] = []
  const error = { code: -32005, message: 'limit exceeded' }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const calls = (await request.json()) as { id: number }[]
      asked.push(calls.length)
      if (how === 429) return new Response('', { status: 429 })
      return Response.json(how === 'one error' ? { id: null, error } : calls.map(({ id }) => ({ id, error })))
    },
  })
  return { url: server.url.href, asked, [Symbol.asyncDispose]: () => server.stop(true) }
}

const numbersOf = (answers: readonly unknown[]) => answers.map(answer => Number((answer as { number: string }).number))

/** The fault that a request ends with. */
const faultOf = async (
  { rpc }: Pick<Nodes, 'rpc'>,
  calls: readonly RpcCall[] = blocks(5),
  timeoutMs = 2_000,
): Promise<RpcFault> => {
  const outcome = await rpc.batch(calls, { timeoutMs }).catch((error: unknown) => error)
  if (outcome instanceof RpcFault) return outcome
  throw new Error(`No fault, but ${inspect(outcome)}`)
}

describe('one node', () => {
  const breaks: readonly [fault: keyof Faults, knobs: object, reason: RpcFault['reason']][] = [
    ['garbage', {}, 'garbage'],
    ['nests_deeply', {}, 'garbage'],
    ['truncates_json', {}, 'garbage'],
    ['closes_half_way', {}, 'unreachable'],
    ['gigabyte', {}, 'too_large'],
    ['gigabyte', { declared: true }, 'too_large'],
    ['bomb', { bytes: 2 ** 25, encoding: 'br' }, 'garbage'],
    ['bomb', { bytes: 2 ** 25, encoding: 'gzip' }, 'garbage'],
    ['drips', {}, 'timeout'],
    ['silent', {}, 'timeout'],
    ['rate_limits', {}, 'rate_limited'],
    ['rate_limits', { retryAfter: '30' }, 'rate_limited'],
    ['rate_limits', { retryAfter: 'never' }, 'rate_limited'],
    ['rate_limits_inside', {}, 'rate_limited'],
    ['redirects', {}, 'garbage'],
    ['redirects', { status: 301 }, 'garbage'],
    ['fails', { status: 500 }, 'unreachable'],
    ['fails', { status: 401 }, 'unreachable'],
    ['loses_entries', {}, 'garbage'],
    ['repeats_entries', {}, 'garbage'],
    ['shifts_ids', {}, 'garbage'],
  ]
  for (const [fault, knobs, reason] of breaks) {
    test(`with ${fault} ${inspect(knobs)} fails as ${reason}`, async () => {
      await using nodes = await openNodes(chain)
      await nodes.rpc.batch([balance])
      nodes.node.break(fault, knobs)
      expect(await faultOf(nodes)).toMatchObject({ reason })
    })
  }

  test('that reorders the answers of a batch: answers are matched by id', async () => {
    await using nodes = await openNodes(chain)
    nodes.node.break('reorders_entries', { methods: ['eth_getBlockByNumber'] })
    expect(numbersOf(await nodes.rpc.batch(blocks(20)))).toEqual([...blocks(20).keys()])
  })

  test('that loses one answer of ten: no call gets the answer of another, whatever the seed', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      await using nodes = await openNodes(chain, { seed })
      nodes.node.break('loses_entries', { methods: ['eth_getBlockByNumber'] })
      expect(await faultOf(nodes, blocks(10))).toMatchObject({ reason: 'garbage' })
    }
  })

  test('that is slow: its answer is awaited', async () => {
    await using nodes = await openNodes(chain)
    nodes.node.break('slow', { ms: 300 })
    expect(await nodes.rpc.batch(blocks(3))).toHaveLength(3)
  })

  test('that sends its answer byte by byte fails at the deadline, headers and body together', async () => {
    await using nodes = await openNodes(chain)
    await nodes.rpc.batch([balance])
    nodes.node.break('drips')
    nodes.node.break('slow', { ms: 300 })
    const start = performance.now()
    expect(await faultOf(nodes, blocks(5), 500)).toMatchObject({ reason: 'timeout' })
    expect(performance.now() - start).toBeWithin(450, 900)
  })

  test('that refuses one call of a batch: the other calls have their answers', async () => {
    await using nodes = await openNodes(chain)
    const answers = await nodes.rpc.batch([balance, { method: 'eth_nonsense', params: [] }, balance])
    expect(answers.map(answer => answer instanceof RpcRefusal)).toEqual([false, true, false])
    expect(answers[1]).toMatchObject({ method: 'eth_nonsense', code: -32601 })
  })

  test('that accepts eight calls a second: the rest of a batch is asked later', async () => {
    await using node = await rateLimitedNode(chain.url, 8)
    const { batch } = openNode({ name: 'limited', url: node.url, closed: new AbortController().signal, now: Date.now })
    // Retried until a part is no larger than the node accepts.
    const answers = await until(() => batch(blocks(20)).catch(() => undefined), { everyMs: 1_000 })
    expect(numbersOf(answers)).toEqual([...blocks(20).keys()])
  })

  for (const [what, calls] of [
    ['blocks', blocks(20)],
    ['logs', [logs]],
    ['logs and a block', [...blocks(1), logs]],
  ] as const)
    for (const answer of ['one error', 'an error for each call'] as const)
      test(`that limits its callers by ${answer} in HTTP 200 gets no more requests than with 429, asked for ${what}`, async () => {
        const requestsTo = async (limit: Parameters<typeof limiting>[0]) => {
          await using node = await limiting(limit)
          const { batch } = openNode({
            name: 'limiting',
            url: node.url,
            closed: new AbortController().signal,
            now: Date.now,
          })
          const outcome = await batch(calls, { timeoutMs: 1_200, waitOnRateLimit: true }).catch(
            (error: unknown) => error,
          )
          expect(outcome).toMatchObject({ reason: 'rate_limited' })
          return node.asked
        }
        // With log calls alone, one more call finds out whether the node refuses these logs or every call.
        const most = what === 'blocks' ? 1 : 2
        expect((await requestsTo(answer)).length).toBeLessThanOrEqual(most * (await requestsTo(429)).length)
      })

  for (const status of [200, 400, 413]) {
    test(`that accepts three calls at once, and refuses more with HTTP ${status}, is asked in parts`, async () => {
      await using nodes = await openNodes(chain)
      nodes.node.break('refuses_batches', { most: 3, status })
      expect(numbersOf(await nodes.rpc.batch(blocks(20)))).toEqual([...blocks(20).keys()])
    })
  }

  test('gets no request for an empty batch', async () => {
    await using nodes = await openNodes(chain)
    await nodes.rpc.batch([balance])
    const { length } = nodes.node.asked
    expect(await nodes.rpc.batch([])).toEqual([])
    expect(nodes.node.asked).toHaveLength(length)
  })

  test('of which the caller aborts a request: it ends immediately and is no fault', async () => {
    await using nodes = await openNodes(chain)
    await nodes.rpc.batch([balance])
    nodes.node.break('silent')
    const asking = nodes.rpc.batch([balance], { signal: AbortSignal.timeout(50) })
    expect(await asking.catch((error: unknown) => error)).toMatchObject({ name: 'TimeoutError' })
    expect(nodes.rpc.health()).toMatchObject([{ state: 'healthy', consecutiveFaults: 0 }])
  })

  test('whose client is closed: open requests end immediately and none is sent', async () => {
    await using nodes = await openNodes(chain)
    await nodes.rpc.batch([balance])
    nodes.node.break('silent')
    const open = nodes.rpc.batch([balance]).catch((error: unknown) => error)
    nodes.rpc.close()
    expect(await open).toMatchObject({ reason: 'unreachable' })
    expect(await faultOf(nodes)).toMatchObject({ reason: 'unreachable' })
    expect(nodes.logged()).not.toContain('RPC node failed')
  })
})

test('an endless chunked answer that announces a hundred bytes is cut off', async () => {
  let sent = 0
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\ntransfer-encoding: chunked\r\n\r\n')
      const pour = () => {
        while (!socket.destroyed && sent < 2 ** 30) {
          sent += chunk.length
          if (!socket.write(chunk)) return void socket.once('drain', pour)
        }
      }
      pour()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const node = openNode({
    name: 'it',
    url: `http://127.0.0.1:${port}/`,
    closed: new AbortController().signal,
    now: Date.now,
  })
  const outcome = await node.batch([balance], { maxBytes: 2 ** 20 }).catch((error: unknown) => error)
  server.close()
  expect(outcome).toBeInstanceOf(RpcFault)
  expect(sent).toBeLessThan(2 ** 26)
})

// In MiB, measured in a process that does nothing else. A plain gigabyte ends at the limit of 16 MiB; before garbage
// collection several levels of that stay, near 200 MiB.
const bounds: readonly [fault: keyof Faults, maxMib: number][] = [
  ['gigabyte', 300],
  ['bomb', 100],
  ['nests_deeply', 100],
]
for (const [fault, maxMib] of bounds) {
  test(
    `a node that answers with ${fault} ten times costs at most ${maxMib} MiB`,
    async () => {
      await using nodes = await openNodes(chain)
      // The probe is answered correctly: its limit is far smaller, and after a failed probe the call would not be sent.
      nodes.node.break(fault, { methods: ['eth_getBlockByNumber'] })
      const asker = Bun.spawn([process.execPath, `${import.meta.dir}/memory-program.ts`, nodes.node.url], {
        stdin: 'pipe',
        stderr: 'inherit',
      })
      const { faults, mib } = JSON.parse(await new Response(asker.stdout).text())
      expect(faults).toBe(10)
      expect(mib).toBeLessThan(maxMib)
      expect(nodes.node.asked.filter(methods => methods.includes('eth_getBlockByNumber'))).toHaveLength(11)
      // Retried because garbage collection runs at any time. What the client retains, it retains in every run.
    },
    { retry: 2 },
  )
}

describe('no secret of a URL', () => {
  const shown = (error: unknown): string => {
    const { message, stack } = error as Error
    return [
      message,
      stack,
      inspect(error, { depth: null, showHidden: true }),
      JSON.stringify(error),
      Bun.inspect(error),
    ].join()
  }
  const faults: readonly (keyof Faults)[] = [
    ...([
      'garbage',
      'truncates_json',
      'closes_half_way',
      'gigabyte',
      'silent',
      'rate_limits',
      'redirects',
      'fails',
    ] as const),
    ...(['loses_entries', 'echoes', 'lies_about_chain_id', 'refuses_batches'] as const),
  ]
  for (const fault of faults) {
    test(`is in errors and logs of a node with ${fault}`, async () => {
      await using nodes = await openNodes(chain)
      await nodes.rpc.batch([balance])
      nodes.node.break(fault)
      const first = await nodes.rpc.batch(blocks(2), { timeoutMs: 500 }).catch((error: unknown) => [error])
      nodes.rested()
      const second = await nodes.rpc.batch(blocks(1), { timeoutMs: 500 }).catch((error: unknown) => [error])
      const trace = [...first, ...second].map(shown).join() + nodes.logged() + inspect(nodes.rpc, { depth: null })
      expect(trace).not.toContain(nodes.node.secret)
      expect(trace).not.toContain('127.0.0.1')
    })
  }

  test('is in errors and logs of a node that does not run', async () => {
    const nodes = await openNodes(chain)
    await nodes.rpc.batch([balance])
    await nodes.node[Symbol.asyncDispose]()
    const fault = await faultOf(nodes)
    expect(fault.reason).toBe('unreachable')
    expect(shown(fault) + nodes.logged()).not.toContain(nodes.node.secret)
    nodes.rpc.close()
  })
})

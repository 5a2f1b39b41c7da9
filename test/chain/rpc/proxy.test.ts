import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { baseSepolia } from '../../../src/chain/known/base.ts'
import { sandboxId } from '../../../src/chain/known/sandbox.ts'

type Call = { readonly id: number; readonly method: string }

/** A server that answers for the chain, as its node or as a proxy. */
const answering = (chainId: number) => {
  let asked = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      asked++
      const calls = (await request.json()) as Call[]
      return Response.json(
        calls.map(({ id, method }) => ({
          id,
          result: method === 'eth_chainId' ? `0x${chainId.toString(16)}` : '0x2a',
        })),
      )
    },
  })
  return { url: server.url.href, isAsked: () => asked > 0, [Symbol.asyncDispose]: () => server.stop(true) }
}

/**
 * Whether node and proxy are asked for a chain's head by a process whose environment names the proxy in all standard
 * variables. `isNamed`: also in RPC_PROXY.
 */
const askedFor = async (chainId: number, isNamed: boolean) => {
  await using node = answering(chainId)
  await using proxy = answering(chainId)
  const program = fileURLToPath(new URL('./proxy-program.ts', import.meta.url))
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
  const child = Bun.spawn([process.execPath, program, String(chainId), node.url, ...(isNamed ? [proxy.url] : [])], {
    env: { ...process.env, ...Object.fromEntries(names.map(name => [name, proxy.url])), NO_PROXY: '', no_proxy: '' },
    stdin: 'pipe',
  })
  expect((await new Response(child.stdout).text()).trim()).toBe('0x2a')
  return { node: node.isAsked(), proxy: proxy.isAsked() }
}

test('nodes are asked directly although the environment names proxies', async () => {
  expect(await askedFor(baseSepolia.id, false)).toEqual({ node: true, proxy: false })
})

test('nodes are asked through RPC_PROXY', async () => {
  expect(await askedFor(baseSepolia.id, true)).toEqual({ node: false, proxy: true })
})

test('the sandbox node is asked directly although RPC_PROXY is set', async () => {
  expect(await askedFor(sandboxId, true)).toEqual({ node: true, proxy: false })
})

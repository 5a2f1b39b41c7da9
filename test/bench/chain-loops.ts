import { createPublicClient, type Hex, http, parseAbiItem } from 'viem'
import type { RpcCall } from '../../src/chain/rpc/rpc.ts'

/** The requests to a node, as they were sent. */
export type Requests = readonly string[]

/** All requests that `work` sends to the node at this URL, recorded by a proxy. */
export const record = async (url: string, work: (url: string) => Promise<unknown>): Promise<Requests> => {
  const bodies: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const body = await request.text()
      bodies.push(body)
      return new Response(await post(url, body), { headers })
    },
  })
  try {
    await work(server.url.href)
  } finally {
    await server.stop(true)
  }
  return bodies
}

/** The floor: the same requests one after the other; the responses are only parsed. */
export const repeatRaw = async (url: string, requests: Requests): Promise<void> => {
  for (const body of requests) JSON.parse(await post(url, body))
}

/** The same calls with viem, sent at the same time so that viem batches them. */
export const repeatByViem = async (url: string, requests: Requests): Promise<void> => {
  const client = createPublicClient({ transport: http(url, { batch: { batchSize: 2_000 }, retryCount: 0 }) })
  const ask = ({ method, params }: RpcCall): Promise<unknown> => {
    const [first] = params
    if (method === 'eth_blockNumber') return client.getBlockNumber({ cacheTime: 0 })
    if (method === 'eth_getBlockByNumber' && isHex(first)) return client.getBlock({ blockNumber: BigInt(first) })
    if (method === 'eth_getLogs') return client.getLogs({ ...filterOf(first), event: transfer })
    if (method === 'eth_chainId') return client.getChainId()
    throw new Error(`the loop of the peer lacks ${method}`)
  }
  for (const body of requests) await Promise.all((JSON.parse(body) as readonly RpcCall[]).map(ask))
}

const headers = { 'content-type': 'application/json' }

const post = async (url: string, body: string): Promise<string> =>
  (await fetch(url, { method: 'POST', headers, body })).text()

const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

const filterOf = (calls: unknown) => {
  const { address, fromBlock, toBlock, blockHash } = calls as Readonly<Record<string, Hex>>
  const where = blockHash ? { blockHash } : { fromBlock: BigInt(fromBlock ?? 0), toBlock: BigInt(toBlock ?? 0) }
  return { ...(address && { address }), ...where }
}

const isHex = (value: unknown): value is Hex => typeof value === 'string' && value.startsWith('0x')

import { type } from 'arktype'
import type { KnownPrice } from '../chain/quotes/prices.ts'
import { example } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { chainId, count, text, textOrNull, timeOrNull } from '../fields/wire.ts'
import type { NodeState, RecordedChain } from '../queries/ops/chain-nodes.ts'

/** An enabled chain, its nodes, and the prices that are read from it. */
export type OpsChain = RecordedChain & { readonly name: string; readonly prices: readonly KnownPrice[] }

const countOrNull = () => count().or('null')

const node = groupOf<NodeState>()({
  label: {
    type: text,
    about: 'Host and port of the node, in the order of `RPC_URLS_<chainId>`. Never a path or credentials.',
    example: 'base.example.org',
    of: ({ label }) => label,
  },
  state: {
    type: () => type("'unknown' | 'healthy' | 'behind' | 'paused'"),
    about:
      '`healthy`: it is asked. `behind`: it is asked last, because other nodes have later blocks. `paused`: it has failed, and is asked again later. `unknown`: no process has reported on it within 30 seconds.',
    example: 'healthy' as const,
    of: ({ state }) => state,
  },
  head: {
    type: countOrNull,
    about: 'Latest block that the node has reported. Null if it has not.',
    example: 21_000_004,
    of: ({ head }) => head,
  },
  latencyMs: {
    type: () => type('number >= 0 | null'),
    about: 'Duration of the last check of the node, in milliseconds. Null before the first one.',
    example: 41,
    of: ({ latencyMs }) => latencyMs,
  },
  lastError: {
    type: textOrNull,
    about:
      'The last failure: `unreachable`, `timeout`, `garbage` (an unreadable answer), `rate_limited`, `wrong_chain`, `too_large` or `behind`. Null if there was none.',
    example: null,
    of: ({ lastError }) => lastError,
  },
})

const price = groupOf<KnownPrice>()({
  pair: { type: text, about: 'The two currencies.', example: 'ETH / USD', of: ({ pair }) => pair },
  rate: {
    type: textOrNull,
    about: 'Price of one unit of the first currency in the second. Null while no price is accepted.',
    example: '3012.45',
    of: ({ rate }) => rate,
  },
  at: {
    type: timeOrNull,
    about: 'When the price was read. Null while no price is accepted.',
    example: example.at,
    of: ({ at }) => at?.toISOString() ?? null,
  },
})

export const opsChainRecord = recordOf<OpsChain>()('OpsChain', {
  chainId: { type: chainId, about: 'ID of the chain.', example: 8453, of: chain => chain.chainId },
  name: { type: text, about: 'Name of the network.', example: 'Base', of: ({ name }) => name },
  head: {
    type: countOrNull,
    about: 'Latest block that a node has reported. Null if none has.',
    example: 21_000_004,
    of: headOf,
  },
  cursor: {
    type: countOrNull,
    about: 'Latest block that was read. Null before the first one.',
    example: 21_000_003,
    of: ({ cursor }) => cursor,
  },
  lagBlocks: {
    type: countOrNull,
    about: 'Blocks between `cursor` and `head`. Null if one of them is.',
    example: 1,
    of: chain => {
      const head = headOf(chain)
      return head === null || chain.cursor === null ? null : Math.max(0, head - chain.cursor)
    },
  },
  lastBlockAt: {
    type: timeOrNull,
    about: 'Time of the latest block that was read, by the clock of the chain. Null before the first one.',
    example: example.at,
    of: ({ lastBlockAt }) => lastBlockAt?.toISOString() ?? null,
  },
  readAt: {
    type: timeOrNull,
    about: 'When the latest block was read, by the clock of the database. Null before the first one.',
    example: example.at,
    of: ({ readAt }) => readAt?.toISOString() ?? null,
  },
  stoppedAt: {
    type: timeOrNull,
    about:
      'Since when the chain is neither read nor offered to customers, because it was reorganized below its final block. Null as long as it is read.',
    example: null,
    of: ({ stoppedAt }) => stoppedAt?.toISOString() ?? null,
  },
  nodes: {
    type: () => node.type().array(),
    about: 'The nodes of the chain, as the process sees them that reads the chain.',
    inside: node.inside,
    example: [node.example],
    of: ({ nodes }) => nodes.map(node.render),
  },
  prices: {
    type: () => price.type().array(),
    about: 'The prices that are read from contracts on this chain.',
    inside: price.inside,
    example: [price.example],
    of: ({ prices }) => prices.map(price.render),
  },
})

/** The latest block that any node has reported lately. */
function headOf({ nodes }: OpsChain): number | null {
  const heads = nodes.flatMap(({ head, state }) => (head === null || state === 'unknown' ? [] : [head]))
  return heads.length === 0 ? null : Math.max(...heads)
}

import { setTimeout as sleep } from 'node:timers/promises'
import { chainIdsOf } from '../../chain/enabled/connect.ts'
import { findRecordedChains } from '../../queries/ops/chain-nodes.ts'
import { opsChainRecord } from '../../records/ops-chain.ts'
import { listChainsDocs } from '../docs/ops-server.ts'
import { forOperators, type Route } from '../route.ts'
import { wholeListOf } from './whole-list.ts'

/** Prices are read when customers need them. So long the answer waits for a reading; a later one has its result. */
const PRICES_MS = 2_000

export const chainRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/chains',
      docs: listChainsDocs,
      handle: async ({ sql, chains }) => {
        const [recorded] = await Promise.all([
          findRecordedChains(sql, chainIdsOf(chains)),
          Promise.race([chains.quotes.refresh(), sleep(PRICES_MS, undefined, { ref: false })]),
        ])
        const body = wholeListOf(recorded, ({ chainId, ...chain }) =>
          opsChainRecord.render({
            ...{ chainId, ...chain },
            name: chains.find(chainId)?.chain.network ?? String(chainId),
            prices: chains.quotes.knownPrices(chainId),
          }),
        )
        return { status: 200, body }
      },
    },
  ),
]

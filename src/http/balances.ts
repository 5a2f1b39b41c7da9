import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { readWaiting, totalsOf } from '../collect/waiting.ts'
import { balanceRecord } from '../records/balance.ts'
import type { Api } from './api.ts'
import { listBalancesDocs } from './docs/collections.ts'
import { livemodeQuery } from './list.ts'
import { forMembers, type Route } from './route.ts'

export const balanceRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: '/v1/merchants/:merchantId/balances',
      docs: listBalancesDocs,
      query: livemodeQuery,
      handle: async (api, { member, query }) => {
        const chains = api.chains.all.filter(({ chain }) => chain.livemode === query.livemode)
        const found = await Promise.all(chains.map(each => balancesOn(api, each, member.merchantId)))
        return {
          status: 200,
          body: {
            object: 'list',
            data: found.flatMap(({ data }) => data),
            has_more: found.some(({ more }) => more),
            unavailable: found.flatMap(({ away }) => away),
          },
        }
      },
    },
  ),
]

/** A problem with one chain does not affect the others. */
const balancesOn = async (api: Api, connected: ConnectedChain, merchantId: string) => {
  const { chain } = connected
  try {
    const { waiting, complete } = await readWaiting(api, connected, merchantId, { timeoutMs })
    const byTreasury = Map.groupBy(waiting, ({ treasury }) => treasury)
    const data = [...byTreasury.keys()]
      .sort()
      .flatMap(treasury => totalsOf(byTreasury.get(treasury) ?? []).map(total => balanceRecord(chain, treasury, total)))
    return { data, more: !complete, away: [] }
  } catch (error) {
    if (!(error instanceof RpcFault || error instanceof RpcRefusal)) throw error
    return { data: [], more: false, away: [{ chainId: chain.id, network: chain.network }] }
  }
}

/** Short, because a person is waiting for the page. */
const timeoutMs = 5_000

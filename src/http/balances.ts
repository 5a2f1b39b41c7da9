import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { readWaiting, totalsOf, type WaitingBalancesOptions } from '../collect/waiting.ts'
import type { ListOwner } from '../queries/list-rows.ts'
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
        const owner = { merchantId: member.merchantId, livemode: query.livemode }
        const { data, more, away } = await readBalances(api, owner, { timeoutMs })
        return { status: 200, body: { object: 'list', data, has_more: more, unavailable: away } }
      },
    },
  ),
]

/** The balances on all chains of a mode. `more`: there are addresses that were not read. `away`: chains without an answer. */
export const readBalances = async (api: Api, { merchantId, livemode }: ListOwner, options: WaitingBalancesOptions) => {
  const chains = api.chains.all.filter(({ chain }) => chain.livemode === livemode)
  const found = await Promise.all(chains.map(each => balancesOn(api, each, merchantId, options)))
  return {
    data: found.flatMap(({ data }) => data),
    more: found.some(({ more }) => more),
    away: found.flatMap(({ away }) => away),
  }
}

/** A problem with one chain does not affect the others. */
const balancesOn = async (api: Api, connected: ConnectedChain, merchantId: string, options: WaitingBalancesOptions) => {
  const { chain } = connected
  try {
    const { waiting, complete } = await readWaiting(api, connected, merchantId, options)
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

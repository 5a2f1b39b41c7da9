import type { Chain } from '../chain/chain.ts'
import { checksummed } from '../chain/checksum.ts'
import { confirmationsOf } from '../chain/enabled/chains.ts'
import { publicNodes } from '../chain/known/public-nodes.ts'
import { dashboardPage } from '../pages/dashboard.ts'
import { isOfSandbox } from '../signer/signer-for.ts'
import type { ShownChain } from '../web/dashboard/shell/shown-chain.ts'
import type { Api } from './api.ts'
import { compressed } from './compressed.ts'
import { dashboardDocs, dashboardPageDocs } from './docs/dashboard.ts'
import { localeOf } from './locale.ts'
import { forAnybody, type Route } from './route.ts'
import { readSignUpState } from './sign-up-state.ts'

const page = async (api: Api, { headers }: { readonly headers: Headers }) => {
  const { signUp } = await readSignUpState(api)
  const chains = api.chains.all.map(({ chain }) => shownChain(api, chain))
  return compressed(dashboardPage(api.web, { locale: localeOf(undefined, headers), signUp, chains }), headers)
}

const shownChain = (api: Api, chain: Chain): ShownChain => ({
  chainId: chain.id,
  network: chain.network,
  livemode: chain.livemode,
  isSandbox: isOfSandbox(api, chain.id),
  native: { asset: chain.native.asset, decimals: chain.native.decimals },
  tokens: chain.tokens.map(({ asset, address, decimals }) => ({ asset, address: checksummed(address), decimals })),
  confirmations: confirmationsOf(chain),
  explorerUrl: chain.explorerUrl,
  publicNode: publicNodes[chain.id] ?? null,
})

/** One page for every address: the module reads the address and loads the data with the session. */
export const dashboardRoutes: readonly Route[] = [
  forAnybody('GET', { path: '/dashboard', page: true, docs: dashboardDocs, handle: page }),
  forAnybody('GET', { path: '/dashboard/*', page: true, docs: dashboardPageDocs, handle: page }),
]

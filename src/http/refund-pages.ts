import { refundsPage } from '../pages/refunds.ts'
import { isOfSandbox } from '../signer/signer-for.ts'
import type { Api } from './api.ts'
import { refundPageDocs, refundsPageDocs } from './docs/refund-signing.ts'
import { forAnybody, type Route } from './route.ts'

const page = (api: Api) => refundsPage(api.chains, chainId => isOfSandbox(api, chainId))

/** The pages on which a merchant signs refunds. They contain no data: the script loads it with the session. */
export const refundPageRoutes: readonly Route[] = [
  forAnybody('GET', { path: '/refunds', page: true, docs: refundsPageDocs, handle: page }),
  // The same page for every ID, because the caller is not authenticated yet.
  forAnybody('GET', { path: '/refunds/:id', page: true, docs: refundPageDocs, handle: page }),
]

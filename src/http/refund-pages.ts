import { refundsPage } from '../pages/refunds.ts'
import { isOfSandbox } from '../signer/signer-for.ts'
import type { Api } from './api.ts'
import * as docs from './docs/refund-signing.ts'
import { forAnybody, type Route } from './route.ts'

const page = (api: Api) => refundsPage(api.chains, chainId => isOfSandbox(api, chainId))

/** Where a merchant signs refunds. The page holds nothing of anybody: it calls for what it shows, with a session. */
export const refundPageRoutes: readonly Route[] = [
  forAnybody('GET', { path: '/refunds', page: true, docs: docs.refundsPage, handle: page }),
  // Of what is no refund too: whoever opens it is not known yet.
  forAnybody('GET', { path: '/refunds/:id', page: true, docs: docs.refundPage, handle: page }),
]

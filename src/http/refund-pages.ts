import { refundsPage } from '../pages/refunds.ts'
import * as docs from './docs/refund-signing.ts'
import { forAnybody, type Route } from './route.ts'

/** Where a merchant signs refunds. The page holds nothing of anybody: it calls for what it shows, with a session. */
export const refundPageRoutes: readonly Route[] = [
  forAnybody('GET', { path: '/refunds', docs: docs.refundsPage, handle: api => refundsPage(api.chains) }),
  // One that is of no refund too, or the page would tell which ids there are.
  forAnybody('GET', { path: '/refunds/:id', docs: docs.refundPage, handle: api => refundsPage(api.chains) }),
]

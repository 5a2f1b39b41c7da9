import { refundPageDocs, refundsPageDocs } from './docs/refund-signing.ts'
import { redirectTo } from './pay-visit.ts'
import { forAnybody, type Route } from './route.ts'

/** Short addresses of the refunds in the dashboard. A link to a refund needs no shop: the dashboard finds it. */
export const refundPageRoutes: readonly Route[] = [
  forAnybody('GET', {
    path: '/refunds',
    page: true,
    docs: refundsPageDocs,
    handle: () => redirectTo('/dashboard/refunds'),
  }),
  // Any ID, because the caller is not authenticated yet.
  forAnybody('GET', {
    path: '/refunds/:id',
    page: true,
    docs: refundPageDocs,
    handle: (_, { params }) => redirectTo(`/dashboard/refunds/${encodeURIComponent(params.id)}`),
  }),
]

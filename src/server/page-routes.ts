import { JSON_TYPE } from '../http/answer.ts'
import type { Api } from '../http/api.ts'
import { assetRoutes } from '../http/assets.ts'
import { openCompressed } from '../http/compressed.ts'
import { dashboardRoutes } from '../http/dashboard.ts'
import { docsPageDocs, docsSectionDocs, machinesDocs, openapiDocs } from '../http/docs/service.ts'
import { healthRoutes } from '../http/health.ts'
import { invoicePageRoutes } from '../http/invoice-pages.ts'
import { localeOf } from '../http/locale.ts'
import { logoFileRoutes } from '../http/logos.ts'
import { metricsRoutes } from '../http/metrics.ts'
import { documentOf } from '../http/openapi/document.ts'
import { opsPageRoutes } from '../http/ops/pages.ts'
import { payPageRoutes } from '../http/pay-pages.ts'
import { planPageRoutes } from '../http/plan-pages.ts'
import { receiptPageRoutes } from '../http/receipts.ts'
import { claimRoutes } from '../http/refund-claims.ts'
import { refundPageRoutes } from '../http/refund-pages.ts'
import { forAnybody, type Route } from '../http/route.ts'
import { subscriptionPageRoutes } from '../http/subscription-pages.ts'
import { welcomeRoutes } from '../http/welcome.ts'
import { kinds } from '../kinds/all.ts'
import { definitionOf } from '../kinds/definition.ts'
import { docsPages } from '../pages/docs/docs.ts'
import { notFoundPage } from '../pages/not-found.ts'

/** The pages for people and the API reference, which includes these routes. */
export const pageRoutes = (routes: readonly Route[]): readonly Route[] => {
  const read = lazyWithApi(({ settings }) => {
    const document = documentOf([...routes, ...pages, ...healthRoutes({}), ...metricsRoutes({})], settings.publicUrl)
    const { contents, sections } = docsPages(document)
    const json = (value: object) => openCompressed({ status: 200, text: JSON.stringify(value), headers: JSON_TYPE })
    return {
      json: json(document),
      machines: json(Object.fromEntries(kinds.map(kind => [kind.name, definitionOf(kind)]))),
      contents: openCompressed(contents),
      sections: new Map([...sections].map(([name, answer]) => [name, openCompressed(answer)])),
    }
  })
  const pages: readonly Route[] = [
    forAnybody('GET', {
      path: '/openapi.json',
      docs: openapiDocs,
      handle: (api, { headers }) => read(api).json(headers),
    }),

    forAnybody('GET', {
      path: '/machines.json',
      docs: machinesDocs,
      handle: (api, { headers }) => read(api).machines(headers),
    }),

    forAnybody('GET', {
      path: '/docs',
      page: true,
      docs: docsPageDocs,
      handle: (api, { headers }) => read(api).contents(headers),
    }),

    forAnybody('GET', {
      path: '/docs/:section',
      page: true,
      docs: docsSectionDocs,
      handle: (api, { params, headers }) =>
        read(api).sections.get(params.section)?.(headers) ?? notFoundPage(api.web, localeOf(undefined, headers)),
    }),

    ...welcomeRoutes,
    ...payPageRoutes,
    ...invoicePageRoutes,
    ...planPageRoutes,
    ...subscriptionPageRoutes,
    ...receiptPageRoutes,
    ...assetRoutes,
    ...logoFileRoutes,
    ...claimRoutes,
    ...refundPageRoutes,
    ...dashboardRoutes,
    ...opsPageRoutes,
  ]
  return pages
}

/** Built at the first request, because it takes a moment and most processes never need it. */
const lazyWithApi = <T>(create: (api: Api) => T) => {
  let created: T | undefined
  return (api: Api): T => {
    created ??= create(api)
    return created
  }
}

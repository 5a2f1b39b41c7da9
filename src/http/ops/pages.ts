import { opsPage } from '../../pages/ops.ts'
import type { Api } from '../api.ts'
import { compressed } from '../compressed.ts'
import { opsFrameDocs, opsPageDocs } from '../docs/ops-pages.ts'
import { localeOf } from '../locale.ts'
import { forAnybody, type Route } from '../route.ts'

const page = (api: Api, { headers }: { readonly headers: Headers }) =>
  compressed(opsPage(api.web, localeOf(undefined, headers)), headers)

/** One page for every address: the module reads the address and loads the data with the session. */
export const opsPageRoutes: readonly Route[] = [
  forAnybody('GET', { path: '/ops', page: true, docs: opsFrameDocs, handle: page }),
  forAnybody('GET', { path: '/ops/*', page: true, docs: opsPageDocs, handle: page }),
]

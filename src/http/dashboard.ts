import { dashboardPage } from '../pages/dashboard.ts'
import type { Api } from './api.ts'
import { compressed } from './compressed.ts'
import { dashboardDocs, dashboardPageDocs } from './docs/dashboard.ts'
import { localeOf } from './locale.ts'
import { forAnybody, type Route } from './route.ts'
import { readSignUpState } from './sign-up-state.ts'

const page = async (api: Api, { headers }: { readonly headers: Headers }) => {
  const { signUp } = await readSignUpState(api)
  return compressed(dashboardPage(api.web, { locale: localeOf(undefined, headers), signUp }), headers)
}

/** One page for every address: the module reads the address and loads the data with the session. */
export const dashboardRoutes: readonly Route[] = [
  forAnybody('GET', { path: '/dashboard', page: true, docs: dashboardDocs, handle: page }),
  forAnybody('GET', { path: '/dashboard/*', page: true, docs: dashboardPageDocs, handle: page }),
]

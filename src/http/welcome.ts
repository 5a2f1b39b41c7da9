import { type } from 'arktype'
import { welcomePage } from '../pages/welcome.ts'
import { hasAccounts } from '../queries/accounts.ts'
import { compressed } from './compressed.ts'
import { visitFirstPageDocs } from './docs/welcome.ts'
import { localeOf } from './locale.ts'
import { forCustomers, type Route } from './route.ts'

export const welcomeRoutes: readonly Route[] = [
  forCustomers('GET', {
    path: '/',
    page: true,
    docs: visitFirstPageDocs,
    query: () => type({ 'lang?': "'en' | 'de'" }),
    handle: async ({ sql, settings, web }, { query, headers }) => {
      const { publicUrl, signUp = 'first', signUpCode } = settings
      const isDone = signUp === 'closed' || (await hasAccounts(sql))
      const shown = welcomePage(web, {
        locale: localeOf(query.lang, headers),
        publicUrl,
        signUp: isDone ? 'done' : signUpCode === null ? 'open' : 'with_code',
      })
      return compressed(shown, headers)
    },
  }),
]

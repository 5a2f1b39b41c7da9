import { type } from 'arktype'
import { welcomePage } from '../pages/welcome.ts'
import { compressed } from './compressed.ts'
import { visitFirstPageDocs } from './docs/welcome.ts'
import { localeOf } from './locale.ts'
import { forCustomers, type Route } from './route.ts'
import { readSignUpState } from './sign-up-state.ts'

export const welcomeRoutes: readonly Route[] = [
  forCustomers('GET', {
    path: '/',
    page: true,
    docs: visitFirstPageDocs,
    query: () => type({ 'lang?': "'en' | 'de'" }),
    handle: async (api, { query, headers }) => {
      const { isEmpty, signUp } = await readSignUpState(api)
      const shown = welcomePage(api.web, {
        locale: localeOf(query.lang, headers),
        publicUrl: api.settings.publicUrl,
        signUp: isEmpty ? signUp : 'done',
      })
      return compressed(shown, headers)
    },
  }),
]

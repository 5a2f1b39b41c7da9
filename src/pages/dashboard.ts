import type { ShownChain } from '../web/dashboard/shell/shown-chain.ts'
import type { Locale } from '../web/text/locale.ts'
import type { WholeText } from './answer.ts'
import { html } from './html.ts'
import { definePage } from './layout.ts'
import type { SignUpState } from './sign-up-state.ts'
import type { Web } from './web.ts'

const page = definePage({ style: 'dashboard/dashboard.css', script: 'dashboard/main.tsx', early: 'dashboard/early.ts' })

const noScript = {
  en: 'The dashboard needs JavaScript. Everything it does can also be done with the API.',
  de: 'Das Dashboard braucht JavaScript. Alles, was es kann, geht auch mit der API.',
} as const

type Frame = { readonly locale: Locale; readonly signUp: SignUpState; readonly chains: readonly ShownChain[] }

/** The frame of the dashboard: the same for everyone, because the module loads the data with the session. */
export const dashboardPage = (web: Web, { locale, signUp, chains }: Frame): WholeText =>
  page(web, {
    ...{ title: 'Dashboard – paymachine', lang: locale },
    bodyData: { signup: signUp, chains: JSON.stringify(chains) },
    body: html`<div id="app"></div>
<noscript><p>${noScript[locale]} <a href="/docs">API</a></p></noscript>`,
  })

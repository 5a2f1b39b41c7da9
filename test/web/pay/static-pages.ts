import type { WholeText } from '../../../src/pages/answer.ts'
import type { CheckoutFacts } from '../../../src/pages/checkout/facts.ts'
import { invoicePage } from '../../../src/pages/checkout/invoice.ts'
import { checkoutPage } from '../../../src/pages/checkout/page.ts'
import { planPage } from '../../../src/pages/checkout/plan.ts'
import { receiptPage } from '../../../src/pages/checkout/receipt.ts'
import { subscriptionPage } from '../../../src/pages/checkout/subscription.ts'
import { openWeb } from '../../../src/server/web.ts'
import { checkoutTextsOf } from '../../../src/web/text/checkout/texts.ts'
import { type InvoiceState, invoiceStates } from './invoice-states.ts'
import { receipts, type State, states } from './states.ts'
import { planStates, subscriptionStates } from './subscription-states.ts'

/** Every page of the table, served as a server would, without a database. `?lang=de` shows it in German. */
export type StaticPages = AsyncDisposable & { readonly url: string; readonly names: readonly string[] }

export const servePages = async (): Promise<StaticPages> => {
  const web = await openWeb({ say: console.log })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: request => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname.startsWith('/assets/')) {
        const file = web.file(pathname.slice('/assets/'.length))
        return file
          ? new Response(file.identity, { headers: { 'content-type': file.type } })
          : new Response(null, { status: 404 })
      }
      const name = pathname.slice(1)
      const page = pageOf(name, searchParams.get('lang'))
      return page
        ? new Response(page.text, { status: page.status, headers: page.headers })
        : new Response(null, { status: 404 })
    },
  })
  const pageOf = (name: string, lang: string | null): WholeText | undefined => {
    const [state, receipt, invoice] = [states[name], receipts[name], invoiceStates[name]]
    const language = lang === 'de' ? ({ locale: lang } as const) : {}
    if (state) return stateOf(name, { ...state, facts: { ...state.facts, ...language } })
    const [plan, subscription] = [planStates[name], subscriptionStates[name]]
    const visit = { path: `/${name}`, query: lang === null ? '' : `?lang=${lang}` }
    if (plan) {
      const checkout = { ...plan.facts.checkout, ...language }
      const refused = plan.refused && inWords(checkout, plan.refused)
      return planPage(web, { ...plan.facts, checkout }, { ...visit, refused })
    }
    if (subscription) {
      const { facts, isRefused } = subscription
      return subscriptionPage(web, { ...facts, checkout: { ...facts.checkout, ...language } }, { ...visit, isRefused })
    }
    if (invoice) return invoiceOf(name, { ...invoice.facts.checkout, ...language }, invoice)
    return receipt && receiptOf(name, { ...receipt, ...language })
  }
  /** The errors of the samples are keys of the texts. */
  const inWords = <Refused extends { readonly errors: object }>(
    { locale }: CheckoutFacts,
    refused: Refused,
  ): Refused => {
    const { errors: ofFields, plan } = checkoutTextsOf(locale)
    const words: Readonly<Record<string, string>> = { ...ofFields, tooManySubscriptions: plan.tooMany }
    const errors = Object.entries(refused.errors).map(([field, key]) => [field, words[key] ?? key])
    return { ...refused, errors: Object.fromEntries(errors) }
  }
  const stateOf = (name: string, { facts, request }: State) =>
    checkoutPage(web, facts, {
      ...{ path: `/${name}`, query: '', phoneUrl: undefined, rpcUrl: undefined, anchor: undefined },
      ...request,
      ...(request?.refused && { refused: inWords(facts, request.refused) }),
    })
  const invoiceOf = (name: string, checkout: CheckoutFacts, { facts, refused }: InvoiceState) =>
    invoicePage(
      web,
      { ...facts, checkout },
      {
        ...{ path: `/${name}`, query: '' },
        refused: typeof refused === 'object' ? inWords(checkout, refused) : refused,
      },
    )
  const receiptOf = (name: string, facts: CheckoutFacts) =>
    receiptPage(web, facts, { path: `/${name}`, query: '', rpcUrl: 'https://mainnet.base.org' })
  return {
    url: `http://127.0.0.1:${server.port}`,
    names: [states, invoiceStates, planStates, subscriptionStates, receipts].flatMap(each => Object.keys(each)),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

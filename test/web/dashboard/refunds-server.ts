import { expect } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { audit } from '../../../src/audit/audit.ts'
import { type Chains, connectChains } from '../../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { openSession } from '../../../src/commands/sessions.ts'
import { routes } from '../../../src/http/routes.ts'
import { decodeId, encodeId } from '../../../src/ids.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { pageRoutes } from '../../../src/server/page-routes.ts'
import { decide, openRefundFixture } from '../../chain/refunds/refund-fixture.ts'
import { apiServer } from '../../harness/api.ts'
import { openBrowser } from '../../harness/browser.ts'
import { noChains } from '../../harness/no-chains.ts'
import type { Person } from '../../http/people.ts'

const nowhere = `0x${'0'.repeat(40)}`
export const password = 'correct horse battery'

/** A whole server with a real chain, a merchant that signs by hand, and a browser. */
export const refundsServer = async () => {
  let connected: Chains | undefined
  const served = [...routes, ...pageRoutes(routes)]
  const server = await apiServer({
    routes: served,
    env: { CHECKOUT_RATE_LIMIT: '0', SIGN_UP: 'open' },
    chains: outside => {
      const none = noChains(outside)
      return {
        ...none,
        get all() {
          return (connected ?? none).all
        },
        find: id => (connected ?? none).find(id),
      }
    },
  })
  const on = await openRefundFixture(server)
  const described = {
    ...sandboxChain({ token: on.chain.token, feed: nowhere, euroFeed: nowhere }),
    ...{ network: 'Lamp Net', finality: { confirmations: 4 }, explorerUrl: 'https://scan.example' },
  }
  connected = connectChains([described], () => [on.chain.url], server.api)
  const browser: Browser = await openBrowser()

  const anna = 'anna@lamps.shop'
  const signedUp = await server.call('POST', '/v1/auth/sign-up', {
    json: { email: anna, password, merchantName: 'Lamps & other lights' },
  })
  const { accessToken, user, merchants } = signedUp.json as {
    accessToken: string
    user: { id: string }
    merchants: { id: string }[]
  }
  const merchant = merchants[0]?.id ?? ''
  const merchantId = decodeId('mer', merchant) ?? ''
  const owner: Person = {
    ...{ accountId: decodeId('usr', user.id) ?? '', id: user.id, email: anna, bearer: accessToken },
  }

  /** Everything on the chain is mined, final and applied. */
  const settle = async () => {
    await on.finalizeAll()
    await decide(server, on.chainOf())
  }
  return {
    ...{ server, on, owner, merchant, merchantId, settle, browser },
    /** The page of a refund, or the list. */
    pathOf: (...path: readonly string[]) => ['/dashboard', merchant, 'test', 'refunds', ...path].join('/'),
    /** A refund that waits for its signature; its id in the API. */
    made: async (more: { native?: boolean; destination?: null } = {}) => {
      const refund = await on.createRefund({ of: { merchantId, livemode: false }, ...more })
      return encodeId('re', refund.id)
    },
    look: (id: string) => on.summaryOf({ id: decodeId('re', id) ?? '' }),
    /** Opens the page at an address for a signed-in account, or without an account where `by` is null. */
    open: async (path: string, { by = owner as Person | null, script = '', ...options }: Opening = {}) => {
      const context = await browser.newContext(options)
      if (by) {
        const { cookie } = await openSession(server.api, by.accountId, {
          address: '127.0.0.1',
          network: '127.0.0.1',
          userAgent: null,
        })
        const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? []
        const where = { domain: '127.0.0.1', path: '/v1/auth', httpOnly: true, sameSite: 'Strict' as const }
        await context.addCookies([{ name, value, ...where }])
      }
      const requests: string[] = []
      const consoleMessages: string[] = []
      context.on('request', request => requests.push(request.url()))
      context.on('console', message => consoleMessages.push(message.text()))
      context.on('weberror', error => consoleMessages.push(error.error().message))
      await context.addInitScript(script)
      const page = await context.newPage()
      const close = () => context.close()
      return {
        context,
        page,
        requests,
        consoleMessages,
        path,
        go: () => page.goto(server.url + path),
        [Symbol.asyncDispose]: close,
      }
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close()
      expect(await audit(server.sql, kinds)).toEqual([])
      connected?.close()
      await on[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

type Opening = BrowserContextOptions & { readonly by?: Person | null; readonly script?: string }

export type RefundsServer = Awaited<ReturnType<typeof refundsServer>>

export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
/** Presses the button and the one of the dialog that it opens. */
export const confirm = async (page: Page, name: string, yes = name) => {
  await press(page, name)
  await page.getByRole('dialog').getByRole('button', { name: yes, exact: true }).click()
}
export const unfold = (page: Page, title: string) => page.locator('summary', { hasText: title }).click()

/** The state of the refund in the head of its page. */
export const awaitState = (page: Page, word: string) => page.locator('.head .badge', { hasText: word }).waitFor()

/** The window gets the focus again. */
export const comeBack = (page: Page) => page.evaluate("void dispatchEvent(new Event('focus'))")

export const cancel = ({ server, merchant, owner }: RefundsServer, id: string) =>
  server.call('POST', `/v1/merchants/${merchant}/refunds/${id}/cancel`, { bearer: owner.bearer })

export const happen = ({ server }: RefundsServer, id: string, event: { type: string } & Record<string, unknown>) =>
  server.api.actors.dispatch({ kind: 'refund', actor: decodeId('re', id) ?? '', event })

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { assetRoutes } from '../../../src/http/assets.ts'
import { authRoutes } from '../../../src/http/auth.ts'
import { inviteRoutes } from '../../../src/http/invites.ts'
import { forAnybody, forMembers, type Route } from '../../../src/http/route.ts'
import { html } from '../../../src/pages/html.ts'
import { definePage } from '../../../src/pages/layout.ts'
import type { openLive } from '../../../src/web/api/live.ts'
import type { openBrowserSession } from '../../../src/web/api/session.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { hasBrowser, openBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { buildForTest, testPath } from '../harness/built.ts'

// What test/web/api/page.ts puts into the page, and the tests.
declare const window: {
  openLive: typeof openLive
  openBrowserSession: typeof openBrowserSession
  session: ReturnType<typeof openBrowserSession>
  live: ReturnType<typeof openLive>
  changes: string[]
}

/** The stream of a merchant: numbered changes, from the one after `Last-Event-ID`. */
const stream = (() => {
  let last = 0
  const readers = new Set<ReadableStreamDefaultController<Uint8Array>>()
  const message = (n: number) =>
    new TextEncoder().encode(
      `id: ${n}\nevent: change\ndata: {"object":"payment","id":"pay_${n}","status":"success","event":null}\n\n`,
    )
  const push = (reader: ReadableStreamDefaultController<Uint8Array>, bytes: Uint8Array) => {
    try {
      reader.enqueue(bytes)
    } catch {
      readers.delete(reader)
    }
  }
  return {
    opened: [] as string[],
    readers: () => readers.size,
    change: () => {
      last++
      for (const reader of readers) push(reader, message(last))
    },
    reset: () => {
      for (const reader of readers) push(reader, new TextEncoder().encode(`id: ${last}\nevent: reset\ndata: {}\n\n`))
    },
    cut: () => {
      for (const reader of readers) reader.close()
      readers.clear()
    },
    open: (lastId: string | null) => {
      stream.opened.push(lastId ?? '')
      let own: ReadableStreamDefaultController<Uint8Array>
      return new ReadableStream<Uint8Array>({
        start: controller => {
          own = controller
          readers.add(controller)
          push(controller, new TextEncoder().encode(':\n\n'))
          for (let n = Number(lastId ?? last) + 1; n <= last; n++) push(controller, message(n))
        },
        cancel: () => {
          readers.delete(own)
        },
      })
    },
  }
})()

const page = definePage({ script: testPath('api/page.ts'), style: testPath('gallery/gallery.css') })

const routes: readonly Route[] = [
  ...authRoutes,
  ...inviteRoutes,
  ...assetRoutes,
  forAnybody('GET', {
    path: '/tabs',
    page: true,
    handle: ({ web }) => page(web, { title: 'Tabs', lang: 'en', body: html`<h1>Tabs</h1>` }),
  }),
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: '/v1/merchants/:merchantId/stream',
      page: true,
      handle: (_, { headers }) => ({
        status: 200,
        text: stream.open(headers.get('last-event-id')),
        headers: { 'content-type': 'text/event-stream' },
      }),
    },
  ),
]

const credentials = { email: 'ada@lamps.example', password: 'correct horse battery' }

let browser: Browser
let server: ApiServer
let context: BrowserContext
let requests: string[]

beforeAll(async () => {
  if (!hasBrowser) return
  const web = await buildForTest('api/page.ts', 'gallery/gallery.css')
  ;[browser, server] = await Promise.all([openBrowser(), apiServer({ routes, web, env: { SIGN_UP: 'open' } })])
  await server.call('POST', '/v1/auth/sign-up', { json: { ...credentials, merchantName: 'Lamps' } })
  await server.call('POST', '/v1/auth/sign-up', {
    json: { email: 'eve@lamps.example', password: credentials.password, merchantName: 'Chairs' },
  })
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await context?.close()
  requests = []
  if (!hasBrowser) return
  // The tests sign in more often than the limit allows.
  await server.sql`delete from attempts`
  context = await browser.newContext()
  context.on('request', request => requests.push(new URL(request.url()).pathname))
})

/** A tab with a session that has found out who is signed in. */
const openTab = async (likely = true): Promise<Page> => {
  const tab = await context.newPage()
  tab.on('pageerror', error => console.error(error))
  await tab.goto(`${server.url}/tabs`)
  await tab.waitForFunction('globalThis.openBrowserSession')
  await tab.evaluate(async likely => {
    window.session = window.openBrowserSession()
    await window.session.start(likely)
  }, likely)
  return tab
}

const signIn = (tab: Page, email = credentials.email) =>
  tab.evaluate(given => window.session.enter('signIn', given), { ...credentials, email })

const phaseOf = (tab: Page) => tab.evaluate(() => window.session.state.value.phase)
const emailOf = (tab: Page) =>
  tab.evaluate(() =>
    window.session.state.value.phase === 'signed_in' ? window.session.state.value.account.user.email : '',
  )
const getAccount = (tab: Page) =>
  tab.evaluate(async () => {
    try {
      return (await window.session.call('getAccount', {})).user.email
    } catch (error) {
      // The code of an ApiError is lost on the way out of the browser.
      throw new Error(Object(error).code)
    }
  })
const refreshes = () => requests.filter(path => path === '/v1/auth/refresh').length

/** From another browser. */
const endAllSessions = async () => {
  const { json } = await server.call('POST', '/v1/auth/sign-in', { json: credentials })
  await server.call('POST', '/v1/auth/sign-out', { json: { everywhere: true }, bearer: Object(json).accessToken })
}

test.skipIf(!hasBrowser)('without a session there is one request, and no error in the console', async () => {
  const tab = await context.newPage()
  const errors: string[] = []
  tab.on('console', message => message.type() === 'error' && errors.push(message.text()))
  await tab.goto(`${server.url}/tabs`)
  await tab.waitForFunction('globalThis.openBrowserSession')
  await tab.evaluate(async () => {
    window.session = window.openBrowserSession()
    await window.session.start(false)
  })
  expect([await phaseOf(tab), errors]).toEqual(['signed_out', []])
  expect(requests.filter(path => path.startsWith('/v1/'))).toEqual(['/v1/auth/session'])
})

test.skipIf(!hasBrowser)(
  'who signs in in one tab is signed in in the others, which ask the server for no token',
  async () => {
    const first = await openTab(false)
    await signIn(first)
    const before = requests.length
    const second = await openTab(false)
    expect(await emailOf(second)).toBe(credentials.email)
    expect(requests.slice(before).filter(path => path.startsWith('/v1/'))).toEqual(['/v1/auth/me'])
    expect(refreshes()).toBe(0)
  },
)

test.skipIf(!hasBrowser)('a page that is opened again gets its token and its account in one request', async () => {
  const first = await openTab(false)
  await signIn(first)
  await first.close()
  const before = requests.length
  const tab = await openTab()
  expect(await emailOf(tab)).toBe(credentials.email)
  // Started again meanwhile, it is the same start.
  await tab.evaluate(() => Promise.all([window.session.start(true), window.session.start(true)]))
  expect(requests.slice(before).filter(path => path.startsWith('/v1/'))).toEqual(['/v1/auth/refresh', '/v1/auth/me'])
})

test.skipIf(!hasBrowser)('when the token has expired, one of all tabs refreshes it, for all of them', async () => {
  const first = await openTab(false)
  await signIn(first)
  const tabs = [first, await openTab(), await openTab(), await openTab()]
  // As if the computer had slept.
  await Promise.all(
    tabs.map(tab =>
      tab.evaluate(() => {
        const { now } = Date
        Date.now = () => now() + 3_600_000
      }),
    ),
  )
  const before = refreshes()
  const emails = await Promise.all(tabs.flatMap(tab => [getAccount(tab), getAccount(tab)]))
  expect(new Set(emails)).toEqual(new Set([credentials.email]))
  expect(refreshes() - before).toBe(1)
})

test.skipIf(!hasBrowser)('a tab that is opened alone uses the cookie', async () => {
  await signIn(await openTab(false))
  for (const tab of context.pages()) await tab.close()
  const tab = await openTab()
  expect([await emailOf(tab), refreshes()]).toEqual([credentials.email, 1])
})

test.skipIf(!hasBrowser)('a sign-out ends the session in every tab', async () => {
  const first = await openTab(false)
  await signIn(first)
  const second = await openTab()
  await first.evaluate(() => window.session.signOut())
  await second.waitForFunction(() => window.session.state.value.phase === 'signed_out')
  expect(await phaseOf(first)).toBe('signed_out')
  await expect(getAccount(second)).rejects.toThrow('invalid_token')
})

test.skipIf(!hasBrowser)('a tab that is signed out asks for a token once, until someone signs in', async () => {
  const tab = await openTab(false)
  await signIn(tab)
  await tab.evaluate(() => window.session.signOut())
  const before = refreshes()
  const asked = await tab.evaluate(async () => {
    const codes: string[] = []
    for (let time = 0; time < 5; time++)
      await window.session.bearer().catch(error => {
        codes.push(Object(error).code)
      })
    return codes
  })
  expect([asked, refreshes() - before]).toEqual([Array(5).fill('invalid_token'), 1])
  const other = await openTab(false)
  await signIn(other)
  await tab.waitForFunction(() => window.session.bearer().then(Boolean, () => false))
  expect(await getAccount(tab)).toBe(credentials.email)
})

test.skipIf(!hasBrowser)('another account that signs in in one tab is the account of all of them', async () => {
  const first = await openTab(false)
  await signIn(first)
  const second = await openTab()
  await signIn(first, 'eve@lamps.example')
  await second.waitForFunction(
    () =>
      window.session.state.value.phase === 'signed_in' &&
      window.session.state.value.account.user.email.startsWith('eve'),
  )
})

test.skipIf(!hasBrowser)('a call whose session has ended waits for the sign-in, and then goes on', async () => {
  const tab = await openTab(false)
  await signIn(tab)
  await endAllSessions()
  const called = getAccount(tab)
  await tab.waitForFunction(() => window.session.gate.value?.kind === 'sign_in')
  await signIn(tab)
  await tab.evaluate(() => window.session.gate.value?.done(true))
  expect(await called).toBe(credentials.email)
})

test.skipIf(!hasBrowser)(
  'a person who does not sign in again gets the error, and calls that waited together wait once',
  async () => {
    const tab = await openTab(false)
    await signIn(tab)
    await endAllSessions()
    const called = Promise.allSettled([getAccount(tab), getAccount(tab)])
    await tab.waitForFunction(() => window.session.gate.value !== undefined)
    await tab.evaluate(() => window.session.gate.value?.done(false))
    expect((await called).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await tab.evaluate(() => window.session.gate.value === undefined)).toBe(true)
  },
)

test.skipIf(!hasBrowser)('another account at the gate does not get what the first one asked for', async () => {
  const tab = await openTab(false)
  await signIn(tab)
  await endAllSessions()
  const called = getAccount(tab)
  await tab.waitForFunction(() => window.session.gate.value !== undefined)
  await signIn(tab, 'eve@lamps.example')
  // Handled from now on: it can be refused before the next line runs.
  const refused = called.catch(String)
  await tab.evaluate(() => window.session.gate.value?.done(true))
  expect(await refused).toContain('invalid_token')
  expect(await getAccount(tab)).toBe('eve@lamps.example')
})

test.skipIf(!hasBrowser)('what needs a fresh proof waits for it, and then goes on', async () => {
  const tab = await openTab(false)
  await signIn(tab)
  await server.sql`update sessions set proven_at = now() - interval '301 seconds'`
  const { id } = await server.sql`select id from accounts where email = ${credentials.email}`.then(([row]) => row ?? {})
  server.api.sessions.forgetAccount(String(id))
  const invited = tab.evaluate(async () => {
    const { value } = window.session.state
    const merchantId = value.phase === 'signed_in' ? (value.account.merchants[0]?.id ?? '') : ''
    const invite = await window.session.call('inviteMember', { merchantId, email: 'bo@lamps.example', role: 'viewer' })
    return invite.email
  })
  await tab.waitForFunction(() => window.session.gate.value?.kind === 'step_up')
  await tab.evaluate(given => window.session.call('stepUp', given), { password: credentials.password })
  await tab.evaluate(() => window.session.gate.value?.done(true))
  expect(await invited).toBe('bo@lamps.example')
})

/** Opens the stream of the first merchant and writes down what arrives. */
const goLive = (tab: Page) =>
  tab.evaluate(() => {
    const { session } = window
    const { value } = session.state
    const merchantId = value.phase === 'signed_in' ? (value.account.merchants[0]?.id ?? '') : ''
    window.changes = []
    window.live = window.openLive({
      onEnd: () => {},
      ...{ session, merchantId, livemode: false },
      onChange: ({ id }) => window.changes.push(id),
      onStale: () => window.changes.push('stale'),
    })
  })
const changesOf = (tab: Page) => tab.evaluate(() => window.changes)
const livePhaseOf = (tab: Page) => tab.evaluate(() => window.live.state.value.phase)

test.skipIf(!hasBrowser)(
  'three tabs read one stream; when its reader is closed, another goes on without a gap',
  async () => {
    const first = await openTab(false)
    await signIn(first)
    const tabs = [first, await openTab(), await openTab()]
    stream.opened.length = 0
    for (const tab of tabs) await goLive(tab)
    for (const tab of tabs) await until(async () => (await livePhaseOf(tab)) === 'live')
    expect(stream.readers()).toBe(1)
    const from = stream.opened.length
    stream.change()
    stream.change()
    for (const tab of tabs) await until(async () => (await changesOf(tab)).length === 2)

    await first.close()
    // The other one goes on where the first one stopped, before the server has noticed that the first one is closed.
    await until(() => stream.opened.length > from)
    stream.change()
    stream.change()
    for (const tab of tabs.slice(1)) await until(async () => (await changesOf(tab)).length === 4)
    const seen = await Promise.all(tabs.slice(1).map(changesOf))
    expect(seen[0]).toEqual(seen[1])
    expect(new Set(seen[0]).size).toBe(4)
    expect(stream.opened.slice(from)).toEqual([String(Number(seen[0]?.[1]?.slice('pay_'.length)))])
  },
)

test.skipIf(!hasBrowser)(
  'a stream that is cut every time resumes after the last message, and the page shows that it is offline',
  async () => {
    const tab = await openTab(false)
    await signIn(tab)
    await goLive(tab)
    await until(async () => (await livePhaseOf(tab)) === 'live')
    for (let n = 0; n < 3; n++) {
      stream.change()
      await until(async () => (await changesOf(tab)).length === 2 * n + 1)
      stream.cut()
      await until(async () => (await livePhaseOf(tab)) === 'offline')
      stream.change()
      await until(async () => (await livePhaseOf(tab)) === 'live', { timeoutMs: 30_000 })
      await until(async () => (await changesOf(tab)).length === 2 * n + 2)
    }
    const changes = await changesOf(tab)
    expect(new Set(changes).size).toBe(6)
    stream.reset()
    await until(async () => (await changesOf(tab)).at(-1) === 'stale')
  },
)

test.skipIf(!hasBrowser)('the stream of a removed member ends with the reason, and does not reconnect', async () => {
  const tab = await openTab(false)
  await signIn(tab)
  await tab.evaluate(() => {
    window.live = window.openLive({
      onEnd: () => {},
      ...{ session: window.session, merchantId: 'mer_01m7ygh5qmfvg9bxgmmwc0qqnf', livemode: false },
      ...{ onChange: () => {}, onStale: () => {} },
    })
  })
  await until(async () => (await livePhaseOf(tab)) === 'refused')
})

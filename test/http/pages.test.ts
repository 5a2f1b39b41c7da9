import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { createMachine } from 'xstate'
import { receiptUrlOf } from '../../src/commands/receipts.ts'
import { healthRoutes } from '../../src/http/health.ts'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { kinds } from '../../src/kinds/all.ts'
import { pageRoutes } from '../../src/server/page-routes.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { makeLink } from './links.ts'
import { makePayment } from './payments.ts'
import { type Shop, shop } from './people.ts'

const served: readonly Route[] = [...healthRoutes({}), ...routes, ...pageRoutes(routes)]

let server: ApiServer
let lamps: Shop

beforeAll(async () => {
  server = await apiServer({ routes: served, env: { PUBLIC_URL: 'https://pay.lamps.shop', CHECKOUT_RATE_LIMIT: '0' } })
  lamps = await shop(server.api, 'Lamps <b>& Söhne</b>')
})
afterAll(() => server[Symbol.asyncDispose]())

const get = (path: string) => server.call('GET', path)
const linkOf = async (more: object = {}) => {
  const { merchantId } = lamps
  return (await makeLink(server.api, { merchantId, livemode: false }, more)).id
}

describe('GET /openapi.json', () => {
  test('200: the document, with the URL of this server', async () => {
    const { status, headers, json } = await get('/openapi.json')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(json).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://pay.lamps.shop' }] })
  })

  test('400: unknown parameters are refused here too', async () => {
    expect((await get('/openapi.json?v=1')).json).toMatchObject({ error: { code: 'parameter_unknown', param: 'v' } })
  })
})

test('GET /machines.json: each machine as XState reads it', async () => {
  const { status, headers, json } = await get('/machines.json')
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(Object.keys(Object(json))).toEqual(kinds.map(({ name }) => name))
  for (const { name, machine } of kinds) {
    const { states } = createMachine(Object(json)[name])
    expect(Object.keys(states)).toEqual(Object.keys(machine.states))
  }
})

test('a page with a secret in its address sends no referrer, and is not indexed or cached', async () => {
  const { actor } = await makePayment(server.api, { merchantId: lamps.merchantId, livemode: false }, 'success')
  const { pathname, search } = new URL(receiptUrlOf('https://pay.lamps.shop', server.api.keyring, actor))
  for (const [method, path, expected] of [
    ['GET', pathname + search, 200],
    ['GET', '/claims/none', 404],
    ['GET', '/invoices/none', 404],
    // Of another type than that of a form: a problem page.
    ['POST', '/claims/none', 415],
  ] as const) {
    const { status, headers } = await server.call(method, path, {
      headers: { accept: 'text/html' },
      ...(method === 'POST' && { json: {} }),
    })
    const sent = ['referrer-policy', 'cache-control', 'x-robots-tag'].map(name => headers.get(name))
    expect([path, status, ...sent]).toEqual([path, expected, 'no-referrer', 'no-store', 'noindex'])
  }
})

/** The policy of the API reference, which has all of its styles and loads nothing. */
const referencePolicy = (hash: string) =>
  `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The policy of pages that are built from src/web. */
const builtPolicy = (hash: string) =>
  `default-src 'none'; style-src 'self' 'sha256-${hash}'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`

/** A page runs no script, loads nothing and has exactly the style that its policy allows. */
const expectStrict = ({ headers, text }: { headers: Headers; text: string }, policy: (hash: string) => string) => {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toBe(policy(hash))
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('request-id')).toBeTruthy()
  expect(text).not.toMatch(/<script|<iframe|<img|<form|\sstyle=|\son\w+=|\ssrc=|@import|url\(/i)
  const links = [...text.matchAll(/\shref="([^"]*)"/g)].map(([, href]) => href)
  expect(links.filter(href => !/^(#|\/$|\/docs|\/(openapi|machines)\.json$|data:,$)/.test(href ?? ''))).toEqual([])
}

const sections = async () => {
  const { text } = await get('/docs')
  return [...new Set([...text.matchAll(/href="(\/docs\/[^"#]*)"/g)].map(([, path]) => path ?? ''))]
}

/** The number of bytes on the wire; `fetch` would decompress them. */
const transferred = async (path: string, acceptEncoding?: string) => {
  const asked = request(server.url + path, {
    headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
  })
  const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage]
  return { headers: answer.headers, bytes: await buffer(answer) }
}

describe('GET /docs', () => {
  test('200: a page with every operation that loads nothing else', async () => {
    const page = await get('/docs')
    expect(page.status).toBe(200)
    expectStrict(page, referencePolicy)
    for (const { docs } of served) expect(page.text).toContain(`id="${docs?.operation}"`)
  })

  test('200: its sections contain every operation, record and error code', async () => {
    const pages = await Promise.all((await sections()).map(get))
    for (const page of pages) {
      expect(page.status).toBe(200)
      expectStrict(page, referencePolicy)
    }
    const all = pages.map(({ text }) => text).join('')
    for (const { docs } of served) expect(all).toContain(`<div class="inside" id="${docs?.operation}">`)
  })

  test('every link leads to an existing anchor, and the anchors of a page are unique', async () => {
    const paths = ['/docs', ...(await sections())]
    const texts = await Promise.all(paths.map(async path => (await get(path)).text))
    const idsIn = (text: string) => [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    const places = new Set(paths.flatMap((path, n) => [path, ...idsIn(texts[n] ?? '').map(id => `${path}#${id}`)]))
    for (const [n, text] of texts.entries()) {
      const links = [...text.matchAll(/href="((?:\/docs|#)[^"]*)"/g)].map(([, href = '']) =>
        href.startsWith('#') ? `${paths[n]}${href}` : href,
      )
      expect(links.filter(link => !places.has(link))).toEqual([])
      const ids = idsIn(text)
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    }
  })

  test('404: an unknown section', async () => {
    for (const path of ['/docs/nothing', '/docs/%ZZ', '/docs/contents']) expect((await get(path)).status).toBe(404)
  })

  test('the page and each of its sections are small enough for a phone: fewer than 2,000 and 4,000 elements', async () => {
    const elementsIn = async (path: string) => (await get(path)).text.match(/<[a-z]/g)?.length
    expect(await elementsIn('/docs')).toBeLessThan(2_000)
    for (const path of await sections()) expect(await elementsIn(path)).toBeLessThan(4_000)
  })

  test('each page is smaller than 120 KB with gzip and the document than 145 KB, and both are complete without it', async () => {
    for (const path of ['/docs', ...(await sections()), '/openapi.json']) {
      const compressed = await transferred(path, 'br, gzip;q=0.5')
      expect([path, compressed.headers['content-encoding'], compressed.headers.vary]).toEqual([
        ...[path, 'gzip', 'accept-encoding'],
      ])
      expect(compressed.bytes.byteLength).toBeLessThan(path === '/openapi.json' ? 145_000 : 120_000)
      for (const others of [undefined, 'br', 'gzip;q=0, *']) {
        const plain = await transferred(path, others)
        expect([others, plain.headers['content-encoding']]).toEqual([others, undefined])
        expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true)
      }
    }
  })
})

describe('an unknown path', () => {
  const browsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

  test.each([browsers, 'text/html', 'application/json;q=0.5, text/html', 'text/*, */*;q=0.1'])(
    '404: an HTML page for clients that accept %s',
    async accept => {
      for (const path of ['/nowhere', '/v1/nowhere', '/docs/../metrics']) {
        const page = await server.call('GET', path, { headers: { accept } })
        expect(page.status).toBe(404)
        expectStrict(page, builtPolicy)
        expect(page.text).toContain('<h1>Page not found</h1>')
      }
    },
  )

  test.each([
    '*/*',
    'application/json',
    'text/html;q=0.5, application/json',
    'text/html, application/json',
    'text/html;q=0',
    '',
  ])('404: JSON for clients that accept %p', async accept => {
    const { status, json } = await server.call('GET', '/nowhere', { headers: { accept } })
    expect([status, json]).toMatchObject([404, { error: { code: 'route_not_found' } }])
  })
})

/** A page that counts down has the time of the server. */
const timeless = ({ text }: { readonly text: string }) => text.replace(/ data-now="[^"]*"/, '')

describe('a URL to which another site has added parameters', () => {
  test('200: shows the same page', async () => {
    const link = await linkOf()
    for (const path of [`/pay/${link}`, '/docs'])
      for (const more of ['fbclid=abc', 'utm_source=mail&utm_source=mail', '%00=1', '__proto__=%00', '=']) {
        const [page, plain] = [await get(`${path}?${more}`), await get(path)]
        expect([path, more, page.status, timeless(page) === timeless(plain)]).toEqual([path, more, 200, true])
      }
  })

  test('404: stays 404', async () => {
    for (const path of ['/pay/none', '/claims/none']) expect((await get(`${path}?fbclid=abc`)).status).toBe(404)
  })
})

describe('for every path,', () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK']
  const paths = [...Map.groupBy(served, ({ path }) => path)].map(
    ([path, group]) => [path, group.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))] as const,
  )

  /** Methods of other paths that this one is an example of: `preview` is the ID of no payment link. */
  const asParameter = (path: string): readonly string[] =>
    paths.flatMap(([other, taken]) => {
      const pattern = new RegExp(`^${other.replace(/:\w+/g, '[^/:]+')}$`)
      return other !== path && pattern.test(path.replace(/:\w+/g, 'x')) ? taken : []
    })

  test.each(paths)('an unsupported method is answered 405 with the supported ones: %s', async (path, taken) => {
    const other = asParameter(path)
    for (const method of methods.filter(each => !taken.includes(each) && !other.includes(each))) {
      const { status, headers, text } = await server.call(method, path.replace(/:\w+/g, 'x'))
      expect([method, status, headers.get('allow')]).toEqual([method, 405, taken.join(', ')])
      // For these two methods the runtime's HTTP client does not read the body.
      if (!['HEAD', 'TRACE'].includes(method)) expect(text).toContain('"method_not_allowed"')
      // CORS is not supported, so there is no preflight.
      expect([...headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
    }
  })

  test.each(paths.filter(([, taken]) => taken.includes('GET')))(
    'HEAD responds like GET, without a body: %s',
    async path => {
      const at = path.replace(/:\w+/g, 'x')
      const [got, head] = [await get(at), await server.call('HEAD', at)]
      const kept = ({ headers }: typeof got) =>
        [...headers].filter(([name]) => !['date', 'request-id', 'transfer-encoding'].includes(name))
      expect([head.status, head.text]).toEqual([got.status, ''])
      expect(kept(head)).toEqual(kept(got))
    },
  )
})

test('customer pages are rate limited by address, other pages are not', async () => {
  await using server = await apiServer({ routes: served, env: { CHECKOUT_RATE_LIMIT: '5' }, now: () => 0 })
  const from = (address: string, path: string) => server.call('GET', path, { headers: { 'x-forwarded-for': address } })
  const visit = async (address: string, path = '/pay/none') => (await from(address, path)).status
  const visits = await Promise.all(Array.from({ length: 14 }, () => visit('198.51.100.1')))
  expect(visits.filter(status => status === 404)).toHaveLength(10)
  const refused = await from('198.51.100.1', '/pay/none')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await visit('198.51.100.2')).toBe(404)
  expect(await visit('198.51.100.1', '/docs')).toBe(200)
})

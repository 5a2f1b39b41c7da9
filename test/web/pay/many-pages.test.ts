import { afterAll, beforeAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { sandboxChain, sandboxId } from '../../../src/chain/known/sandbox.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { routes } from '../../../src/http/routes.ts'
import { sandboxContracts } from '../../../src/sandbox/contracts.ts'
import { pageRoutes } from '../../../src/server/page-routes.ts'
import { type Ledger, openLedger } from '../../chain/watch/ledger.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { makeLink } from '../../http/links.ts'
import { shop } from '../../http/people.ts'

/** With 500 of them the test takes five times as long, and passes as well. */
const PAGES = 100

let to: ApiServer
let ledger: Ledger
let link: string
// `fetch` opens at most 256 connections per process.
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

beforeAll(async () => {
  to = await apiServer({
    routes: [...routes, ...pageRoutes(routes)],
    env: { CHECKOUT_RATE_LIMIT: '0' },
    // Dollars need no node: their price is known, and the blocks come from the ledger.
    chains: outside => connectChains([sandboxChain(sandboxContracts)], () => [], outside),
  })
  ledger = await openLedger(to.sql)
  const { merchantId } = await shop(to.api)
  link = `/pay/${(await makeLink(to.api, { merchantId, livemode: false }, { assets: null })).id}`
})
afterAll(async () => {
  agent.destroy()
  await to?.[Symbol.asyncDispose]()
})

/** What the browser of one customer does: opens a payment, shows its page, and follows it. */
const openPage = async (customer: number) => {
  const form = await to.call('POST', link, {
    body: String(new URLSearchParams({ email: `customer${customer}@example.com`, asset: `${sandboxId}:TUSD` })),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  const path = form.headers.get('location') ?? ''
  const [cookie = ''] = (form.headers.get('set-cookie') ?? '').split(';')
  const show = async () => {
    const { text } = await to.call('GET', path, { headers: { cookie } })
    const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
    return {
      status: found(/data-status="(\w+)"/),
      address: found(/data-value="(0x[0-9a-fA-F]{40})"/),
      event: found(/data-event="([^"]+)"/),
    }
  }
  const first = await show()
  const headers = {
    ...{ cookie, 'last-event-id': first.event },
    // One address has at most 60 streams.
    'x-forwarded-for': `10.0.${customer >> 8}.${customer & 255}`,
  }
  const [stream] = (await once(get(`${to.url}${path}/stream`, { agent, headers }), 'response')) as [IncomingMessage]
  let text = ''
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  const dataOf = (): readonly { readonly id: string; readonly crypto: { readonly amountReceived: string } }[] =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  return { id: path.split('/').at(-1) ?? '', status: stream.statusCode, first, show, dataOf }
}

/** So many at a time as a server answers without a queue. */
const inTurns = async <T>(make: (n: number) => Promise<T>): Promise<readonly T[]> => {
  const made: T[] = []
  for (let n = 0; n < PAGES; n += 20)
    made.push(...(await Promise.all(Array.from({ length: 20 }, (_, i) => make(n + i)))))
  return made
}

test(`${PAGES} pages of ${PAGES} payments are open: each follows its own payment`, async () => {
  const pages = await inTurns(openPage)
  expect(new Set(pages.map(({ id }) => id)).size).toBe(PAGES)
  expect(new Set(pages.map(({ first }) => first.address)).size).toBe(PAGES)
  expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200))
  expect(pages.flatMap(({ dataOf }) => dataOf())).toEqual([])
  // Every customer pays, each another amount, in one block.
  const units = (n: number) => 10_000_000n + BigInt(n)
  const sent = pages.map(({ first }, n) => ({ to: first.address.toLowerCase(), amount: units(n) }))
  await ledger.block(sent.map(each => ({ ...each, token: sandboxContracts.token })))
  await settlePayments(to.api)
  await until(() => pages.every(({ dataOf }) => dataOf().some(({ crypto }) => crypto.amountReceived !== '0')))
  for (const [n, { id, dataOf }] of pages.entries()) {
    expect([...new Set(dataOf().map(each => each.id))]).toEqual([id])
    expect(dataOf().at(-1)?.crypto.amountReceived).toBe(String(units(n)))
  }
  const shown = await inTurns(n => pages[n]?.show() ?? Promise.reject(new Error('There is no such page')))
  expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(['seen']))
})

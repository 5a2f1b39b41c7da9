import { setTimeout as sleep } from 'node:timers/promises'
import { eventTypes } from '../../src/resources.ts'
import { oneOf } from '../harness/random.ts'
import { type ApiResponse, type Caller, codeOf } from './caller.ts'
import type { Scene } from './scene.ts'

const SCENARIOS = [
  'paid',
  'paid',
  'paid',
  'overpaid',
  'underpaid',
  'wrong_asset',
  'reverted',
  'reorged',
  'cancel',
] as const

/** What a customer did, and the results; undefined where there was no response until the end. */
export type Story = {
  readonly reference: string
  readonly scenario: (typeof SCENARIOS)[number]
  link?: string
  payment?: string
  /** The scenario was acknowledged. */
  acknowledged?: boolean
  refund?: string
  claimed?: boolean
}

/** Receives all refunds, and nothing else. */
export const customerAddress = '0x00000000000000000000000000000000000a11ce'

/** A merchant with a key and an endpoint for all events. */
export const openShop = async ({ ask }: Caller, scene: Scene) => {
  const login = { email: 'anna@lamps.shop', password: 'correct horse battery' }
  const signUp = await ask('POST', '/v1/auth/sign-up', { body: { ...login, merchantName: 'Lamps' } })
  // A request whose response was lost is sent again, and the account exists by then.
  const anna = expectOk(signUp?.status === 409 ? await ask('POST', '/v1/auth/sign-in', { body: login }) : signUp)
  const [merchant] = anna.body.merchants as { id: string }[]
  const bearer = String(anna.body.accessToken)
  const of = `/v1/merchants/${merchant?.id}`
  const key = expectOk(await ask('POST', `${of}/api-keys`, { bearer, body: { name: 'Chaos', access: 'full' } }))
  expectOk(await ask('POST', `${of}/webhook-endpoints`, { bearer, body: { url: scene.merchant.url, eventTypes } }))
  return { key: String(key.body.secret), bearer, of }
}

export type Shop = Awaited<ReturnType<typeof openShop>>

type ShopOptions = {
  readonly shop: Shop
  readonly name: string
  readonly random: () => number
  readonly isOver: () => boolean
}

/** Customers one after the other, until the end of the run. */
export const customers = async (
  { ask, faults }: Caller,
  { shop, name, random, isOver }: ShopOptions,
): Promise<readonly Story[]> => {
  const stories: Story[] = []
  /** Sometimes sent twice at the same time, like an impatient client: both get the same response. */
  const post = async (path: string, what: string, body: unknown) => {
    const once = () => ask('POST', path, { bearer: shop.key, idempotencyKey: what, body })
    if (random() < 0.7) return once()
    const [one, other] = await Promise.all([once(), once()])
    if (one && other && one.text !== other.text && !isRefused(one) && !isRefused(other))
      faults.push(`POST ${path}: ${one.text} and ${other.text} to identical requests`)
    return one && isRefused(one) ? other : one
  }

  const pay = async (story: Story, n: number): Promise<void> => {
    const amountMinor = 100 + Math.floor(random() * 10_000)
    const asset = random() < 0.3 ? 'ETH' : 'TUSD'
    const link = await post('/v1/payment-links', `link ${name} ${n}`, {
      ...{ amountMinor, currency: 'USD', reference: story.reference },
    })
    if (!link) return
    story.link = String(expectOk(link).body.id)
    const opened = await ask('POST', `/v1/checkout/links/${story.link}/payments`, {
      body: { customerEmail: 'ada@example.com', chainId: 31_337, asset },
    })
    // The chain may be unavailable for a moment.
    if (!opened || codeOf(opened) === 'chain_unavailable') return
    story.payment = String((expectOk(opened).body.payment as { id: string }).id)
    story.acknowledged = story.scenario === 'cancel' ? await cancel(story.payment) : await simulate(story, n)
    if (story.acknowledged && story.scenario === 'paid' && asset === 'TUSD' && random() < 0.5)
      await refund(story, n, amountMinor)
  }

  /** The chain is not part of the commit: a request repeated after a crash may find the payment paid already. */
  const simulate = async ({ payment, scenario }: Story, n: number): Promise<boolean> => {
    const done = await post(`/v1/sandbox/payments/${payment}/simulate`, `pay ${name} ${n}`, { scenario })
    return done !== undefined && done.status !== 409 && expectOk(done).status === 200
  }

  /** Has no idempotency key: a second request is refused because of the first. */
  const cancel = async (payment: string): Promise<boolean> => {
    const once = () => ask('POST', `${shop.of}/payments/${payment}/cancel`, { bearer: shop.bearer })
    const all = await Promise.all(random() < 0.3 ? [once(), once()] : [once()])
    return all.some(done => done !== undefined && (done.status === 409 || expectOk(done).status === 200))
  }

  const refund = async (story: Story, n: number, paidMinor: number): Promise<void> => {
    for (;;) {
      if (isOver()) return
      const payment = await ask('GET', `/v1/payments/${story.payment}`, { bearer: shop.key })
      if (payment?.body.status === 'success') break
      await sleep(200)
    }
    const requestRefund = (purpose: string, amountMinor: number) =>
      post(`/v1/payments/${story.payment}/refunds`, `${purpose} ${name} ${n}`, { amountMinor })
    const part = Math.ceil(paidMinor * random())
    // Sometimes a second refund of the full amount is requested at the same time; there is money for only one.
    const hasSecond = random() < 0.3
    const all = await Promise.all([
      requestRefund('refund', part),
      ...(hasSecond ? [requestRefund('rival', paidMinor)] : []),
    ])
    const responses = all.filter(response => response !== undefined)
    const [accepted, ...more] = hasSecond ? responses.filter(response => !isRefused(response)) : responses.map(expectOk)
    if (more.length > 0 || (!accepted && responses.length === all.length))
      faults.push(`refunds of ${story.payment}: ${responses.map(({ text }) => text)} for two of which one can be paid`)
    if (!accepted) return
    const { id, claimUrl } = accepted.body
    story.refund = String(id)
    const claim = new URL(String(claimUrl)).pathname
    const claimed = await ask('POST', claim, { form: { address: customerAddress, confirmed: 'yes' } })
    story.claimed = claimed?.status === 200
  }

  for (let n = 0; !isOver(); n++) {
    const story: Story = { reference: `order ${name} ${n}`, scenario: oneOf(SCENARIOS, random) }
    stories.push(story)
    await pay(story, n)
  }
  return stories
}

const isRefused = ({ status }: ApiResponse): boolean => status >= 300

const expectOk = (response: ApiResponse | undefined): ApiResponse => {
  if (!response || isRefused(response)) throw new Error(`the response is ${response?.status}: ${response?.text}`)
  return response
}

import { afterAll } from 'bun:test'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { baseMainnet, baseSepolia } from '../../src/chain/known/base.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { routes } from '../../src/http/routes.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { deploy } from '../../src/sandbox/deploy.ts'
import { openLedger } from '../chain/watch/ledger.ts'
import { type AnswerChange, changedNode } from '../chain/watch/test-node.ts'
import { anvil } from '../harness/anvil.ts'
import { makeLink } from './links.ts'
import { type Shop, shop } from './people.ts'
import { twoShops } from './two-shops.ts'

export const TREASURY = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
export const OTHER_TREASURY = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'

/**
 * A real sandbox chain, and two other chains that are unreachable, one per mode. With a change, a second node of the
 * sandbox chain changes its responses by it.
 */
export const checkoutServer = async (change?: AnswerChange) => {
  const chain = await anvil()
  const second = change && (await changedNode(chain.url, change))
  // The node that responds first is asked first.
  const slowNode = second && (await changedNode(chain.url, (_, answer) => Bun.sleep(15).then(() => answer)))
  const urls = second && slowNode ? [second.url, slowNode.url] : [chain.url]
  let aheadMs = 0
  await deploy(chain.url)
  const { server, ...shops } = await twoShops({
    routes,
    env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0', CHECKOUT_RATE_LIMIT: '0' },
    chains: outside => {
      const all = [sandboxChain(sandboxContracts), baseSepolia, baseMainnet]
      const clock = { ...outside.clock, now: () => new Date(outside.clock.now().getTime() + aheadMs) }
      return connectChains(all, id => (id === 31337 ? urls : []), { ...outside, clock })
    },
  })
  afterAll(async () => {
    for (const each of [second, slowNode, chain]) await each?.[Symbol.asyncDispose]()
  })
  // As if it had been read earlier, when it was reachable.
  await openLedger(server.sql, baseSepolia.id)

  /** A link over ten dollars, of a merchant of its own, so that tests do not share settings. */
  const link = async (more: object = {}, of?: Shop) => {
    const made = of ?? (await shop(server.api))
    const { link, id } = await makeLink(server.api, { ...made, livemode: false }, { assets: null, ...more })
    return { id, actor: link.id, shop: made }
  }
  const visit = async (linkId: string) => {
    const { status, json } = await server.call('GET', `/v1/checkout/links/${linkId}`)
    return { status, ...(json as Visited) }
  }
  const open = async (linkId: string, json: object = {}) => {
    const { status, json: opened } = await server.call('POST', `/v1/checkout/links/${linkId}/payments`, {
      json: { customerEmail: 'ada@example.com', ...json },
    })
    return { status, ...(opened as Opened & Failed) }
  }
  const customer = ({ payment, clientSecret }: Opened) => {
    const path = `/v1/checkout/payments/${payment.id}`
    const headers = { 'client-secret': clientSecret }
    const ask = async (method: string, rest = '', json?: object) => {
      const answer = await server.call(method, path + rest, { headers, ...(json && { json }) })
      return { ...(answer.json as CheckoutPayment & Failed), code: answer.status }
    }
    return {
      path,
      read: () => ask('GET'),
      pick: (chainId: number, asset: string) => ask('POST', '/asset', { chainId, asset }),
      submit: (txHash: string) => ask('POST', '/transaction', { txHash }),
    }
  }
  const settle = (of: Shop, changes: object, livemode = false) =>
    server.call('PATCH', `${of.path}/settings?livemode=${livemode}`, { bearer: of.owner.bearer, json: changes })
  /** Sets the price of one ETH in dollars; 0 means no price. */
  const priceEther = async (dollars: number) => {
    const word = (value: number) => BigInt(value).toString(16).padStart(64, '0')
    const data = `0x${setPrice}${word(dollars * 1e8)}${word(Math.floor(Date.now() / 1_000))}`
    await chain.send({ from: chain.accounts[1], to: sandboxContracts.feed, data })
    // Prices are cached for some seconds; the clock moves on instead of waiting.
    aheadMs += 6_000
  }
  return { server, ...shops, chain, link, visit, open, customer, settle, priceEther }
}

/** set(int256,uint256) */
const setPrice = 'a22c5540'

export type Failed = {
  readonly error?: { readonly code: string; readonly param?: string; readonly details?: object }
}

export type Visited = {
  readonly link: Readonly<Record<string, unknown>> & { readonly status: string }
  readonly options: readonly {
    readonly chainId: number
    readonly network: string
    readonly asset: string
    readonly decimals: number
    readonly tokenAddress: string | null
    readonly amount: string
    readonly networkFeeMinor: number | null
    readonly quoteExpiresAt: string | null
  }[]
}

export type CheckoutPayment = {
  readonly id: string
  readonly status: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly receiptUrl: string
  readonly crypto:
    | (Readonly<Record<string, unknown>> & {
        readonly address: string
        readonly amountExpected: string
        readonly confirmations: number
        readonly quote: { readonly rate: string; readonly expiresAt: string } | null
      })
    | null
}

export type Opened = { readonly payment: CheckoutPayment; readonly clientSecret: string }

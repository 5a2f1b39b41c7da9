import { expect } from 'bun:test'
import { until } from '../../harness/until.ts'
import type { SandboxShop } from './sandbox-shop.ts'

type Fields = Readonly<Record<string, unknown>>

export type MadeInvoice = { readonly id: string; readonly url: string | null } & Fields

/** Invoices of a shop with a sandbox, and what their customers do. */
export const invoicesOf = (shop: SandboxShop) => {
  const path = (...parts: readonly string[]) => ['/v1/merchants', shop.merchant, 'invoices', ...parts].join('/')
  const make = async (more: object = {}): Promise<MadeInvoice> => {
    const json = {
      ...{ customer: { email: 'ada@example.com', name: 'Ada Example' }, currency: 'USD' },
      lines: [
        { description: 'A lamp', quantity: '3', unitAmountMinor: 1_000, taxRateBps: 1_900 },
        { description: 'Shipping', unitAmountMinor: 430, taxRateBps: 0 },
      ],
      ...more,
    }
    const made = await shop.call('POST', `${path()}?livemode=false`, json)
    expect(made.object).toBe('invoice')
    return made
  }
  const read = async (id: string): Promise<MadeInvoice> => shop.call('GET', path(id))
  return {
    ...{ path, make, read },
    /** One with a number: 3 × 10.00 with 19 % tax and 4.30, together 40.00. */
    issue: (more: object = {}) => make({ finalize: true, ...more }),
    list: async () => (await shop.call('GET', `${path()}?livemode=false&limit=100`)).data as readonly MadeInvoice[],
    /** A customer opens a payment on the page of the invoice, and the sandbox pays it. */
    pay: async ({ url }: MadeInvoice, scenario = 'paid'): Promise<string> => {
      const token = String(url).split('/').at(-1)
      const json = { chainId: 31337, asset: 'TUSD' }
      const opened = await shop.served.server.call('POST', `/v1/checkout/invoices/${token}/payments`, { json })
      expect([opened.status, opened.text]).toEqual([201, expect.any(String)])
      const { id } = Object(opened.json).payment
      await shop.call('POST', `/v1/merchants/${shop.merchant}/payments/${id}/simulate`, { scenario })
      return id
    },
    /** Waits until the invoice has these fields. */
    shows: (id: string, wanted: Fields) =>
      until(
        async () => {
          const now = await read(id)
          return Object.entries(wanted).every(([field, value]) => Bun.deepEquals(now[field], value))
        },
        { timeoutMs: 30_000, everyMs: 100 },
      ),
  }
}

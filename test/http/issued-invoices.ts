import { expect } from 'bun:test'
import type { Hex } from 'viem'
import { requireAddress } from '../../src/chain/address.ts'
import { decodeId } from '../../src/ids.ts'
import { payFromWallet } from '../../src/sandbox/simulate/payer.ts'
import { until } from '../harness/until.ts'
import type { SimulationServer } from './simulations.ts'

export type IssuedInvoice = { readonly id: string; readonly actor: string; readonly token: string }

/** The amounts of an invoice that are not 0, and its status. */
export type Amounts = Readonly<Record<string, unknown>>

export type PayingCustomer = {
  readonly id: string
  readonly payment: string
  readonly address: Hex
  readonly clientSecret: string
  readonly amountMinor: number
  readonly amountExpected: bigint
}

/** Invoices of a shop with a real sandbox chain, and their customers. An atomic unit of a test dollar is 10^-6 dollars. */
export const invoicesOn = ({ server, sandbox, key, becomes }: SimulationServer) => {
  const ask = (method: string, path: string, json?: object) =>
    server.call(method, path, { bearer: key, ...(json && { json }) })

  const issue = async (totalMinor = 1000, more: object = {}): Promise<IssuedInvoice> => {
    const email = `${crypto.randomUUID()}@example.com`
    const lines = [{ description: 'A lamp', unitAmountMinor: totalMinor, taxCategory: 'zero' }]
    const json = { customer: { email }, currency: 'USD', lines, finalize: true, ...more }
    const answer = await ask('POST', '/v1/invoices', json)
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
    const { id, url } = answer.json as { id: string; url: string }
    return { id, actor: decodeId('inv', id) ?? '', token: url.split('/').at(-1) ?? '' }
  }

  const open = async ({ token }: IssuedInvoice, asset: 'TUSD' | 'ETH' = 'TUSD'): Promise<PayingCustomer> => {
    const answer = await server.call('POST', `/v1/checkout/invoices/${token}/payments`, {
      json: { chainId: 31337, asset },
    })
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
    const { payment, clientSecret } = answer.json as {
      payment: { id: string; amountMinor: number; crypto: { address: Hex; amountExpected: string } }
      clientSecret: string
    }
    return {
      ...{ id: payment.id, payment: decodeId('pay', payment.id) ?? '', clientSecret },
      ...{ address: payment.crypto.address, amountMinor: payment.amountMinor },
      amountExpected: BigInt(payment.crypto.amountExpected),
    }
  }

  /** Cents in test dollars. */
  const send = (to: Hex, cents: number) =>
    payFromWallet(sandbox.url, { token: requireAddress(sandbox.contracts.token), to, amount: BigInt(cents) * 10_000n })
  const sendEther = (to: Hex, amount: bigint) => payFromWallet(sandbox.url, { token: null, to, amount })

  const look = async ({ actor }: IssuedInvoice): Promise<Amounts> => {
    const [row] = await server.sql<Record<string, unknown>[]>`
      select state, amount_paid_minor::int as paid, amount_processing_minor::int as processing,
        amount_overpaid_minor::int as overpaid, amount_refunded_minor::int as refunded,
        uncredited_refunds_minor::int as uncredited
      from invoices where id = ${actor}`
    return Object.fromEntries(Object.entries(row ?? {}).filter(([, value]) => value !== 0))
  }
  /** Waits until the invoice has exactly these amounts. */
  const shows = async (invoice: IssuedInvoice, wanted: Amounts): Promise<void> => {
    let last: Amounts = {}
    await until(
      async () => {
        last = await look(invoice)
        return Bun.deepEquals(last, wanted)
      },
      { timeoutMs: 30_000, everyMs: 50 },
    ).catch(() => expect(last).toEqual(wanted))
  }
  /** The entries of the credit ledger that an invoice has caused, in order. */
  const creditOf = async ({ actor }: IssuedInvoice): Promise<readonly string[]> => {
    const rows = await server.sql<{ entry: string }[]>`
      select concat(type, ' ', amount_minor, ' -> ', balance_minor) as entry from credit_entries
      where invoice_id = ${actor} order by seq`
    return rows.map(({ entry }) => entry)
  }
  const eventsOf = async ({ actor }: IssuedInvoice): Promise<readonly string[]> => {
    const rows = await server.sql<{ type: string }[]>`select type from events where actor = ${actor} order by seq`
    return rows.map(({ type }) => type.replace('invoice.', ''))
  }
  /** Ends the window of a payment, and waits until it has ended. */
  const endWindow = async ({ id, payment }: PayingCustomer, state: string): Promise<void> => {
    const outcome = await server.api.actors.dispatch({ kind: 'payment', actor: payment, event: { type: 'end_window' } })
    expect(outcome.ok).toBe(true)
    await becomes(id, { state })
  }
  return { ask, issue, open, send, sendEther, look, shows, creditOf, eventsOf, endWindow }
}

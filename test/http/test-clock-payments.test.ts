import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { callNode } from '../../src/sandbox/node-client.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { invoicesOn } from './issued-invoices.ts'
import { type SimulationServer, simulationServer } from './simulations.ts'

let instance: SimulationServer
let to: ReturnType<typeof invoicesOn>
beforeAll(async () => {
  instance = await simulationServer()
  to = invoicesOn(instance)
  // A payment is `processing` until the test mines blocks.
  await instance.server.sql`update merchant_settings set confirmations = '{"31337": 2000}'`
}, 60_000)
afterAll(() => instance?.[Symbol.asyncDispose]())

const finalize = () => callNode(instance.sandbox.url, 'anvil_mine', '0x800')
const DAY = 86_400_000
/** Midnight of a day before today. */
const start = new Date(Math.floor(Date.now() / DAY) * DAY - 30 * DAY)
const after = (days: number, hours = 0) => new Date(start.getTime() + days * DAY + hours * 3_600_000).toISOString()

/** A clock whose server advances it, and an invoice that is due at the end of the next day. */
const makeInvoice = async () => {
  const { id } = (await to.ask('POST', '/v1/sandbox/test-clocks', { now: start })).json as { id: string }
  const invoice = await to.issue(1000, { testClockId: id, daysUntilDue: 1, reminders: [0] })
  const advance = async (at: string) => {
    const answer = await to.ask('POST', `/v1/sandbox/test-clocks/${id}/advance`, { to: at })
    expect(answer.status).toBe(200)
  }
  const shows = (clock: object) =>
    until(async () => Bun.deepMatch(clock, (await to.ask('GET', `/v1/sandbox/test-clocks/${id}`)).json), {
      what: `the clock to show ${JSON.stringify(clock)}`,
      timeoutMs: 15_000,
    })
  const read = async () => (await to.ask('GET', `/v1/invoices/${invoice.id}`)).json as Record<string, unknown>
  return { id, invoice, advance, shows, read }
}

describe('a payment of an invoice of a clock', () => {
  test('holds its due date while it is processing, and is paid at the time of the clock', async () => {
    const before = Date.now() - 1_000
    const { invoice, advance, shows, read } = await makeInvoice()
    await advance(after(0, 6))
    await shows({ status: 'ready' })
    const payment = await to.open(invoice)
    await to.send(payment.address, 1000)
    await to.shows(invoice, { state: 'open', processing: 1000 })

    await advance(after(30))
    // The first thing that is due is a reminder.
    await shows({ status: 'advancing', now: after(1, 9) })
    expect(await to.eventsOf(invoice)).toEqual(['created', 'finalized'])
    expect(await read()).toMatchObject({ status: 'open', overdue: false })

    await finalize()
    await to.shows(invoice, { state: 'paid', paid: 1000 })
    await shows({ status: 'ready', now: after(30) })
    expect(await to.eventsOf(invoice)).toEqual(['created', 'finalized', 'payment_received', 'paid'])
    expect(await read()).toMatchObject({
      ...{ paidAt: after(1, 9), updatedAt: after(1, 9) },
      allocations: [{ paymentId: payment.id, amountMinor: 1000, at: after(1, 9) }],
    })
    const times = (await to.ask('GET', `/v1/payments/${payment.id}`)).json as { createdAt: string; updatedAt: string }
    for (const at of [times.createdAt, times.updatedAt]) expect(Date.parse(at)).toBeGreaterThan(before)
    expect(await audit(instance.server.sql, kinds, { keyring: openKeyring(SECRET_KEY) })).toEqual([])
  }, 60_000)

  test('that has received a part is not processing and does not hold the clock', async () => {
    const { invoice, advance, shows, read } = await makeInvoice()
    const payment = await to.open(invoice)
    await to.send(payment.address, 400)
    await instance.becomes(payment.id, { state: 'pending', amountReceived: 4_000_000n })
    await advance(after(30))
    await shows({ status: 'ready', now: after(30) })
    await finalize()
    await to.shows(invoice, { state: 'open', paid: 400 })
    expect(await to.eventsOf(invoice)).toEqual(['created', 'finalized', 'reminder', 'overdue', 'payment_received'])
    expect(await read()).toMatchObject({
      ...{ overdue: true, amountDueMinor: 600, reminders: [{ offsetDays: 0, sentAt: after(1, 9) }] },
      allocations: [{ amountMinor: 400, at: after(30) }],
    })
  }, 60_000)
})

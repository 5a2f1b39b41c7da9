import { describe, expect, test } from 'bun:test'
import { aLamp } from './invoices.ts'
import { FIRST_END, monthly, subscriptionShops } from './subscription-shop.ts'

const { ask, ...shop } = await subscriptionShops()
const { begun, owing, customerOfClock, made, read, cancel, act, pay, advance } = shop

type Answer = Awaited<ReturnType<typeof ask>>

/** Requests each action of an object of its own, and returns those that are accepted; a refusal must name exactly these. */
const acceptedOf = async (
  make: () => Promise<string>,
  actions: Readonly<Record<string, (id: string) => Promise<Answer>>>,
) => {
  const answers: { readonly name: string; readonly answer: Answer }[] = []
  for (const [name, request] of Object.entries(actions)) answers.push({ name, answer: await request(await make()) })
  const accepted = answers.filter(({ answer }) => answer.status < 300).map(({ name }) => name)
  for (const { name, answer } of answers) {
    if (accepted.includes(name)) continue
    const { status, error } = answer
    expect([name, status, error?.code]).toEqual([name, 409, 'state_conflict'])
    const { possible = [] } = (error?.details ?? {}) as { possible?: string[] }
    expect([name, [...possible].sort()]).toEqual([name, accepted.toSorted()])
  }
  return accepted
}

describe('details.possible of a subscription', () => {
  const after = async (make: () => Promise<string>, ...names: readonly string[]) => {
    const id = await make()
    for (const name of names) expect(await act(id, name)).toMatchObject({ status: 200 })
    return id
  }
  const active = async () => (await begun()).id
  const trialing = async () => (await begun({ trialDays: 30 })).id
  const advanced = async (to: string, json: object, isPaid: boolean) => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly, ...json })
    if (isPaid) await pay(openInvoiceId)
    await advance(clockId, to)
    return id
  }

  const always = ['update', 'rotate-url']
  test.each<[string, () => Promise<string>, readonly string[]]>([
    ['incomplete', async () => (await made(monthly)).id, always],
    ['trialing', trialing, ['cancel', 'change', ...always]],
    ['trialing', () => after(trialing, 'cancel'), ['cancel', 'uncancel', 'change', ...always]],
    ['active', active, ['pause', 'cancel', 'change', ...always]],
    ['active', () => after(active, 'cancel'), ['cancel', 'uncancel', 'change', ...always]],
    ['active', () => after(active, 'pause'), ['resume', 'cancel', 'change', ...always]],
    ['past_due', owing, ['pause', 'cancel', ...always]],
    ['paused', () => after(owing, 'pause'), ['resume', 'cancel', ...always]],
    ['paused', () => after(owing, 'pause', 'resume'), ['cancel', ...always]],
    ['canceled', () => after(owing, 'cancel'), []],
    ['expired', () => advanced('2026-12-08T12:00:00.000Z', {}, false), []],
    ['completed', () => advanced(FIRST_END, { maxPeriods: 1 }, true), []],
  ])('%s', async (status, make, expected) => {
    expect(await read(await make())).toMatchObject({ status })
    const accepted = await acceptedOf(make, {
      pause: id => act(id, 'pause'),
      resume: id => act(id, 'resume'),
      cancel: id => cancel(id, { at: 'now' }),
      uncancel: id => act(id, 'uncancel'),
      change: id => act(id, 'change', { lines: [{ ...aLamp, quantity: '2' }] }),
      update: id => ask('PATCH', `/subscriptions/${id}`, { json: { reference: null } }),
      'rotate-url': id => act(id, 'rotate-url'),
    })
    expect(accepted.toSorted()).toEqual(expected.toSorted())
  })
})

describe('details.possible of an invoice', () => {
  const draft = async () => {
    const { customerId } = await customerOfClock()
    const json = { customerId, currency: 'EUR', lines: [aLamp] }
    return ((await ask('POST', '/invoices', { json })).json as { id: string }).id
  }
  const after = async (...names: readonly string[]) => {
    const id = await draft()
    for (const name of names) expect(await ask('POST', `/invoices/${id}/${name}`)).toMatchObject({ status: 200 })
    return id
  }
  const paid = async () => {
    const id = await after('finalize')
    await pay(id)
    return id
  }
  test.each<[string, () => Promise<string>, readonly string[]]>([
    ['draft', draft, ['update', 'delete', 'finalize']],
    ['open', () => after('finalize'), ['remind', 'uncollectible', 'void', 'rotate-url', 'credit-notes']],
    ['uncollectible', () => after('finalize', 'uncollectible'), ['void', 'rotate-url', 'credit-notes']],
    ['void', () => after('finalize', 'void'), []],
  ])('%s', async (status, make, expected) => {
    const id = await make()
    expect(await ask('GET', `/invoices/${id}`)).toMatchObject({ json: { status } })
    const accepted = await acceptedOf(make, {
      update: id => ask('PATCH', `/invoices/${id}`, { json: { notes: 'n' } }),
      delete: id => ask('DELETE', `/invoices/${id}`),
      ...Object.fromEntries(
        ['finalize', 'remind', 'uncollectible', 'void', 'rotate-url'].map(name => [
          name,
          (id: string) => ask('POST', `/invoices/${id}/${name}`),
        ]),
      ),
      'credit-notes': id => ask('POST', '/credit-notes', { json: { invoiceId: id, reason: 'other', whole: true } }),
    })
    expect(accepted.toSorted()).toEqual(expected.toSorted())
  })

  test('one that is paid can be credited', async () => {
    const { error } = await ask('POST', `/invoices/${await paid()}/finalize`)
    expect(error).toMatchObject({ details: { status: 'paid', possible: ['credit-notes', 'rotate-url'] } })
  })
})

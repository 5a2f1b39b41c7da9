import { describe, expect, test } from 'bun:test'
import { findPaymentReceipt } from '../../src/commands/receipts.ts'
import { decodeId } from '../../src/ids.ts'
import { checkoutServer } from './checkouts.ts'
import { makePayment } from './payments.ts'
import { member } from './people.ts'

const { server, lamps, chairs, ask, link, open, customer } = await checkoutServer()
const { publicUrl } = server.api.settings

type Read = { readonly receiptUrl: string | null }
const read = async (id: string, asked?: Parameters<typeof ask>[2]) =>
  (await ask('GET', `/payments/${id}`, asked)).json as Read
const tokenOf = ({ receiptUrl }: Read) => new URL(receiptUrl ?? '').searchParams.get('s') ?? ''

describe('receiptUrl', () => {
  test('is the same for the customer, owners, developers and keys', async () => {
    const opened = await open((await link({}, lamps)).id)
    const { id } = opened.payment
    const { receiptUrl } = await customer(opened).read()
    expect(String(receiptUrl)).toMatch(new RegExp(`^${publicUrl}/receipts/${id}\\?s=[\\w-]{43}$`))
    expect(opened.payment).toMatchObject({ receiptUrl })
    const picked = await customer(opened).pick(31337, 'TUSD')
    expect(picked.receiptUrl).toBe(receiptUrl)
    const developer = await member(server.api, lamps, 'developer')
    for (const asked of [{}, ...[lamps.owner, developer].map(({ bearer }) => ({ path: lamps.path, bearer }))])
      expect((await read(id, asked)).receiptUrl).toBe(receiptUrl ?? '')
  })

  test('is null for viewers, in a list too', async () => {
    const { id } = await makePayment(server.api, { ...lamps, livemode: false })
    const { bearer } = await member(server.api, lamps, 'viewer')
    expect((await read(id, { path: lamps.path, bearer })).receiptUrl).toBeNull()
    const listed = await ask('GET', '/payments?limit=1', { path: lamps.path, bearer })
    expect(listed.json).toMatchObject({ data: [{ id, receiptUrl: null }] })
    const byKey = await ask('GET', '/payments?limit=1')
    expect(byKey.json).toMatchObject({ data: [{ id, receiptUrl: (await read(id)).receiptUrl }] })
  })

  test('is in no event', async () => {
    const { actor } = await makePayment(server.api, { ...lamps, livemode: false })
    const events = await server.sql<
      { object: object }[]
    >`select json_of(object) as object from events where actor = ${actor}`
    expect(events.length).toBeGreaterThan(1)
    for (const { object } of events) expect(object).not.toHaveProperty('receiptUrl')
  })
})

describe('a receipt', () => {
  const find = (id: string, token: string) => findPaymentReceipt(server.api, decodeId('pay', id) ?? '', token)

  test('is found by its token, with what the customer has bought and from whom', async () => {
    const { id, linkId } = await makePayment(server.api, { ...chairs, livemode: false }, 'success')
    await server.sql`update payment_links set title = 'A chair' where id = ${decodeId('plink', linkId) ?? ''}`
    await server.sql`update merchants set support_email = 'help@chairs.example' where id = ${chairs.merchantId}`
    const { bearer } = chairs.owner
    const found = await find(id, tokenOf(await read(id, { path: chairs.path, bearer })))
    expect(found).toMatchObject({
      payment: { id: decodeId('pay', id), state: 'success' },
      shown: { transfers: [] },
      title: 'A chair',
      merchant: { name: 'Chairs', logo: null, accent_color: null, support_email: 'help@chairs.example' },
    })
  })

  test.each(['new', 'picked', 'processing', 'failed', 'expired', 'canceled'])(
    'of one that is %s is not found',
    async situation => {
      const { id } = await makePayment(server.api, { ...lamps, livemode: false }, situation)
      expect(await find(id, tokenOf(await read(id)))).toBeUndefined()
    },
  )

  test('is not found with the token of another payment, or the client secret', async () => {
    const [one, other] = [await makePayment(server.api, { ...lamps, livemode: false }), await open((await link()).id)]
    expect(await find(one.id, tokenOf(await read(one.id)))).toBeDefined()
    for (const token of [tokenOf((await customer(other).read()) as unknown as Read), other.clientSecret, '', 'x'])
      expect(await find(one.id, token)).toBeUndefined()
  })
})

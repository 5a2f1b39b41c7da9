import { randomUUID } from 'node:crypto'
import process from 'node:process'
import { Hono } from 'hono'
// In a project of your own: 'paymachine/verify-webhook', or a copy of this one file.
import { verifyWebhook, WebhookVerificationError } from '../../src/verify-webhook/index.ts'

const { PAYMACHINE_URL = 'http://127.0.0.1:3000', PAYMACHINE_API_KEY, PAYMACHINE_WEBHOOK_SECRET } = process.env
if (!PAYMACHINE_API_KEY) throw new Error('PAYMACHINE_API_KEY is not set')

type Order = { readonly id: string; readonly amountMinor: number; status: 'open' | 'paid' }

// A real shop keeps both in its database.
const orders = new Map<string, Order>()
const handledEvents = new Set<string>()

const app = new Hono()

app.get('/', c =>
  c.html('<h1>Lamps</h1><form method="post" action="/orders"><button>Buy a lamp for 49.00 USD</button></form>'),
)

app.post('/orders', async c => {
  const order: Order = { id: randomUUID(), amountMinor: 4900, status: 'open' }
  orders.set(order.id, order)
  const answer = await fetch(`${PAYMACHINE_URL}/v1/payment-links`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${PAYMACHINE_API_KEY}`,
      'Content-Type': 'application/json',
      // If the answer is lost, the same request can be sent again and makes no second link.
      'Idempotency-Key': `order ${order.id}`,
    },
    body: JSON.stringify({
      amountMinor: order.amountMinor,
      currency: 'USD',
      title: 'A lamp',
      reference: order.id,
      maxPayments: 1,
    }),
  })
  if (!answer.ok) return c.text('The payment page is not available. Please try again.', 502)
  const { url } = (await answer.json()) as { url: string }
  return c.redirect(url, 303)
})

app.get('/orders/:id', c => {
  const order = orders.get(c.req.param('id'))
  return order ? c.json(order) : c.json({ error: 'no such order' }, 404)
})

app.post('/webhooks', async c => {
  try {
    const event = verifyWebhook({
      // The signature is of the bytes that were sent, so the body must not be parsed before it is verified.
      body: await c.req.text(),
      headers: c.req.raw.headers,
      secret: PAYMACHINE_WEBHOOK_SECRET ?? '',
    })
    // The same event can be delivered more than once.
    if (event.type === 'payment.succeeded' && !handledEvents.has(event.id)) {
      handledEvents.add(event.id)
      const order = orders.get(String(event.data.object.reference))
      if (order) order.status = 'paid'
    }
    return c.body(null, 204)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return c.text(error.message, 400)
  }
})

const port = Number(process.env.PORT ?? 4000)
Bun.serve({ port, hostname: '127.0.0.1', fetch: app.fetch })
console.log(`Shop at http://127.0.0.1:${port}`)

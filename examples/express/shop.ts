import { randomUUID } from 'node:crypto'
import process from 'node:process'
import express from 'express'
// In a project of your own: 'paymachine/verify-webhook', or a copy of this one file.
import { verifyWebhook, WebhookVerificationError } from '../../src/verify-webhook/index.ts'

const { PAYMACHINE_URL = 'http://127.0.0.1:3000', PAYMACHINE_API_KEY, PAYMACHINE_WEBHOOK_SECRET } = process.env
if (!PAYMACHINE_API_KEY) throw new Error('PAYMACHINE_API_KEY is not set')

type Order = { readonly id: string; readonly amountMinor: number; status: 'open' | 'paid' }

// A real shop keeps both in its database.
const orders = new Map<string, Order>()
const handledEvents = new Set<string>()

const app = express()

app.get('/', (_request, response) => {
  response.send('<h1>Lamps</h1><form method="post" action="/orders"><button>Buy a lamp for 49.00 USD</button></form>')
})

app.post('/orders', async (_request, response) => {
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
  if (!answer.ok) {
    response.status(502).send('The payment page is not available. Please try again.')
    return
  }
  const { url } = (await answer.json()) as { url: string }
  response.redirect(303, url)
})

app.get('/orders/:id', (request, response) => {
  const order = orders.get(request.params.id)
  response.status(order ? 200 : 404).json(order ?? { error: 'no such order' })
})

// The signature is of the bytes that were sent, so the body must not be parsed before it is verified.
app.post('/webhooks', express.raw({ type: 'application/json' }), (request, response) => {
  try {
    const event = verifyWebhook({
      body: request.body,
      headers: request.headers,
      secret: PAYMACHINE_WEBHOOK_SECRET ?? '',
    })
    // The same event can be delivered more than once.
    if (event.type === 'payment.succeeded' && !handledEvents.has(event.id)) {
      handledEvents.add(event.id)
      const order = orders.get(String(event.data.object.reference))
      if (order) order.status = 'paid'
    }
    response.sendStatus(204)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.status(400).send(error.message)
  }
})

const port = Number(process.env.PORT ?? 4000)
app.listen(port, '127.0.0.1', () => console.log(`Shop at http://127.0.0.1:${port}`))

import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook, type WebhookEvent } from '../verify-webhook/index.ts'

export type Receiver = AsyncDisposable & {
  readonly url: string
  /** The verified event of this type about the object, as soon as it has arrived. */
  next(type: string, objectId: string): Promise<WebhookEvent>
}

/** The shop's endpoint for webhooks. It accepts only requests whose signature is valid. */
export const startReceiver = async (secret: () => string): Promise<Receiver> => {
  const events: WebhookEvent[] = []
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    try {
      events.push(verifyWebhook({ body: await buffer(request), headers: request.headers, secret: secret() }))
      response.writeHead(204).end()
      for (const check of waiting) check()
    } catch {
      response.writeHead(400).end()
    }
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    next: (type, objectId) => {
      const { promise, resolve, reject } = Promise.withResolvers<WebhookEvent>()
      const check = () => {
        const event = events.find(each => each.type === type && each.data.object.id === objectId)
        if (event) resolve(event)
      }
      const timer = setTimeout(() => reject(new Error(`No webhook ${type} arrived within 60 seconds`)), 60_000)
      waiting.add(check)
      check()
      return promise.finally(() => {
        clearTimeout(timer)
        waiting.delete(check)
      })
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

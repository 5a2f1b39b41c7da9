import { until } from '../../harness/until.ts'
import { type PayServerOptions, payServer, type Visit } from '../pay/pay-server.ts'

type SandboxShopOptions = PayServerOptions & { readonly env?: Readonly<Record<string, string>> }

/** A server with the sandbox chain, and the owner of a new shop in a browser. */
export const sandboxShop = async (name = 'Lamps & Light', { env, ...options }: SandboxShopOptions = {}) => {
  const served = await payServer({ SIGN_UP: 'open', ...env }, options)
  const visit: Visit = await served.visit({ viewport: { width: 1280, height: 800 } })
  const { server } = served
  // Through the browser, which keeps the cookie of the session.
  const response = await visit.context.request.post(`${server.url}/v1/auth/sign-up`, {
    data: { email: 'anna@lamps.example', password: 'correct horse battery', merchantName: name },
  })
  const { accessToken: bearer, merchants } = Object(await response.json())
  const merchant = String(merchants[0].id)
  const call = async (method: string, path: string, json?: object) =>
    Object((await server.call(method, path, { bearer, ...(json && { json }) })).json)
  const pay = async (scenario = 'paid', customerEmail = 'ada@example.com'): Promise<string> => {
    const link = await call('POST', `/v1/merchants/${merchant}/payment-links`, { amountMinor: 1000, currency: 'USD' })
    const opened = await server.call('POST', `/v1/checkout/links/${link.id}/payments`, {
      json: { customerEmail },
    })
    const { id } = Object(opened.json).payment
    await call('POST', `/v1/merchants/${merchant}/payments/${id}/simulate`, { scenario })
    return id
  }
  return {
    ...{ served, visit, page: visit.page, merchant, bearer: String(bearer), call },
    go: (path: string, mode = 'test') => visit.page.goto(`${server.url}/dashboard/${merchant}/${mode}/${path}`),
    /** A payment over ten dollars that the sandbox has paid. */
    pay,
    /** The same, once the amount is final. */
    payAndWait: async (customerEmail?: string): Promise<string> => {
      const id = await pay('paid', customerEmail)
      await until(async () => (await call('GET', `/v1/merchants/${merchant}/payments/${id}`)).status === 'success')
      return id
    },
    [Symbol.asyncDispose]: async () => {
      await visit[Symbol.asyncDispose]()
      await served[Symbol.asyncDispose]()
    },
  }
}

export type SandboxShop = Awaited<ReturnType<typeof sandboxShop>>

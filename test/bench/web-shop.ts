import { readFileSync } from 'node:fs'
import { openCalls } from '../../src/demo/call.ts'
import { encodeId } from '../../src/ids.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { startMain } from '../harness/main.ts'
import { type BenchServer, createMigrated } from './server.ts'
import { SECRET_KEY } from './webhooks-instance.ts'

/** The account of the shop's owner. */
export const OWNER = { email: 'anna@lamps.example', password: 'a password for benches' } as const

/** A server process with a sandbox, and a shop with one payment link. */
export type WebShop = AsyncDisposable & {
  readonly url: string
  readonly pid: number
  readonly sql: Sql
  /** The page of the link. */
  readonly linkUrl: string
  /** A payment in test dollars of the customer with this number, who has an address of their own. */
  open(customer: number): Promise<OpenPage>
  /** Cancels a payment, by its UUID. */
  cancel(payment: string): Promise<void>
}

export type OpenPage = { readonly streamPath: string; readonly headers: Readonly<Record<string, string>> }

export const openWebShop = async (server: BenchServer): Promise<WebShop> => {
  await using opening = new AsyncDisposableStack()
  const db = opening.use(await createMigrated(server))
  const sql = opening.adopt(connect(db.url, { max: 2 }), pool => pool.end({ timeout: 1 }))
  const folder = opening.use(dataFolder())
  const main = opening.use(
    await startMain({
      ...{ DATABASE_URL: db.url, SECRET_KEY, DATA_DIR: folder.path, SANDBOX: 'on', SIGN_UP: 'open', LOG_LEVEL: 'warn' },
      ...{ TRUSTED_PROXIES: '127.0.0.1', CHECKOUT_RATE_LIMIT: '1000000', MIMALLOC_PURGE_DELAY: '-1' },
    }),
  )
  const { pid } = main.child
  if (pid === undefined || main.child.exitCode !== null)
    throw new Error(`the server did not start: ${main.lines.join('\n')}`)
  const anyone = openCalls(main.url)
  const account = await anyone('POST', '/v1/auth/sign-up', {
    ...{ ...OWNER, merchantName: 'Lamps & Light' },
  })
  const merchant = `/v1/merchants/${account.text('merchants.0.id')}`
  const owner = openCalls(main.url, account.text('accessToken'))
  await owner('PATCH', `${merchant}/settings`, { receivingAddress: `0x${'5f'.repeat(20)}` })
  const key = await owner('POST', `${merchant}/api-keys`, { name: 'The bench', access: 'full' })
  const order = { amountMinor: 4900, currency: 'USD', title: 'Brass desk lamp' }
  const link = await openCalls(main.url, key.text('secret'))('POST', '/v1/payment-links', order)
  const linkId = link.text('id')
  const rest = opening.move()
  return {
    ...{ url: main.url, pid, sql, linkUrl: `${main.url}/pay/${linkId}` },
    open: async customer => {
      const address = `10.${(customer >> 16) & 255}.${(customer >> 8) & 255}.${customer & 255}`
      const opened = await anyone(
        'POST',
        `/v1/checkout/links/${linkId}/payments`,
        { customerEmail: `customer${customer}@example.com`, chainId: 31337, asset: 'TUSD' },
        { 'x-forwarded-for': address },
      )
      const headers = { 'x-forwarded-for': address, 'client-secret': opened.text('clientSecret') }
      return { streamPath: `/v1/checkout/payments/${opened.text('payment.id')}/stream`, headers }
    },
    cancel: async payment => void (await owner('POST', `${merchant}/payments/${encodeId('pay', payment)}/cancel`)),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

/** The memory of a process in MiB; NaN without /proc. */
export const memoryOf = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
  } catch {
    return Number.NaN
  }
}

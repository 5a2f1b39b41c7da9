import { expect, test } from 'bun:test'
import { sandboxId } from '../../src/chain/known/sandbox.ts'
import { getHead } from '../../src/sandbox/node-client.ts'
import { runRecover } from '../chain/recovery/command.ts'
import { anvil } from '../harness/anvil.ts'
import { database } from '../harness/database.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { type Main, startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { mint } from '../sandbox/opened.ts'
import { backUp } from '../signer/backup.ts'

type Json = Record<string, unknown>
type Opened = { readonly payment: Json & { readonly id: string }; readonly clientSecret: string }

const TEN_DOLLARS = 10_000_000

test('money that was paid for a payment after the backup is not credited to a payment of the restored server', async () => {
  await using db = await database()
  await using folder = dataFolder()
  await using chain = await anvil({ mining: 'none' })
  const env = {
    ...{ DATABASE_URL: db.url, DATA_DIR: folder.path, SECRET_KEY: 'a secret key for tests and for nothing else' },
    ...{ SANDBOX: 'on', SANDBOX_RPC_URL: chain.url, CHECKOUT_RATE_LIMIT: '0' },
  }
  const running = async <T>(work: (server: Main) => Promise<T>): Promise<T> => {
    await using server = await startMain(env)
    const done = await work(server)
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    return done
  }

  const { linkId, recoveryFile } = await running(async server => {
    const signedUp = await ask(server, 'POST', '/v1/auth/sign-up', {
      json: { email: 'anna@lamps.shop', password: 'correct horse battery', merchantName: 'Lamps' },
    })
    const [merchant] = signedUp.merchants as { id: string }[]
    const of = { path: `/v1/merchants/${merchant?.id}`, bearer: String(signedUp.accessToken) }
    const link = await ask(server, 'POST', `${of.path}/payment-links`, {
      ...{ bearer: of.bearer, json: { amountMinor: 1000, currency: 'USD' } },
    })
    await open(server, String(link.id))
    const file = await ask(server, 'GET', `${of.path}/recovery-file`, { bearer: of.bearer })
    return { linkId: String(link.id), recoveryFile: JSON.stringify(file) }
  })
  const backup = await backUp(db.sql)

  const lost = await running(async server => {
    const opened = await open(server, linkId)
    await mint(chain.url, addressOf(opened.payment), TEN_DOLLARS)
    await until(async () => (await look(server, opened)).status === 'success', { timeoutMs: 20_000 })
    return opened
  })
  await backup.restore()

  const fresh = await running(async server => {
    const opened = await open(server, linkId)
    // The restored server reads every block again in which the money before can be found.
    const { number: head } = await getHead(chain.url)
    await until(
      async () => {
        const [books] = await db.sql`
          select from chain_cursors where chain_id = ${sandboxId} and final_number > ${head}
          and not exists (select from unsettled_payments)`
        return books !== undefined
      },
      { timeoutMs: 20_000 },
    )
    expect(await look(server, opened)).toMatchObject({ status: 'pending', crypto: { amountReceived: '0' } })
    await mint(chain.url, addressOf(opened.payment), TEN_DOLLARS)
    const paid = await until(async () => {
      const payment = await look(server, opened)
      return payment.status === 'success' && payment
    })
    expect(paid).toMatchObject({ crypto: { amountReceived: String(TEN_DOLLARS), exception: null } })
    return opened
  })

  const { exit, said } = await runRecover(recoveryFile, [], { RPC_URL: chain.url })
  expect(exit, said).toBe(0)
  for (const { payment } of [lost, fresh]) expect(said).toContain(`${addressOf(payment)}  10 TUSD`)
}, 120_000)

const open = async (server: Main, linkId: string): Promise<Opened> =>
  (await ask(server, 'POST', `/v1/checkout/links/${linkId}/payments`, {
    json: { customerEmail: 'ada@example.com', chainId: sandboxId, asset: 'TUSD' },
  })) as Opened

const look = (server: Main, { payment, clientSecret }: Opened): Promise<Json> =>
  ask(server, 'GET', `/v1/checkout/payments/${payment.id}?clientSecret=${clientSecret}`)

const addressOf = ({ crypto }: Json): string => String((crypto as Json).address).toLowerCase()

const ask = async (
  { url }: Main,
  method: string,
  path: string,
  { json, bearer }: { readonly json?: object; readonly bearer?: string } = {},
): Promise<Json> => {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(json && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    ...(json && { body: JSON.stringify(json) }),
  })
  const body = (await answer.json()) as Json
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(body)}`)
  return body
}

import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { decodeId } from '../../src/ids.ts'
import { database } from '../harness/database.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { insertLargeTransitions, stalledSocket } from '../http/ops/inspecting.ts'
import { findRuntime, runtimes } from './runtimes.ts'

/** On Bun, test/http/ops/inspect-slow.test.ts shows the same. */
const program = fileURLToPath(new URL('main-program.ts', import.meta.url))

test.concurrent.each(Object.keys(runtimes))(
  'on %s a client that does not read is closed with 1013 when it is 1,000 messages behind',
  async name => {
    const runtime = await findRuntime(name)
    if (!runtime) return console.warn(`${name} is not available: its tests are skipped`)
    await using db = await database()
    await using folder = dataFolder()
    const env = {
      ...{ DATABASE_URL: db.url, DATA_DIR: folder.path, LOG_LEVEL: 'info' },
      SECRET_KEY: 'a secret key for tests and for nothing else',
    }
    await using main = await startMain(env, { runtime, program })
    const call = async (
      method: string,
      path: string,
      { bearer = '', json = {} }: { bearer?: string; json?: unknown } = {},
    ) => {
      const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) }
      const answer = await fetch(`${main.url}${path}`, { method, body: JSON.stringify(json), headers })
      const text = await answer.text()
      expect([path, answer.status]).toEqual([path, 201])
      return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) }
    }
    const signUp = { email: 'anna@example.com', password: 'correct horse', merchantName: 'Lamps' }
    // The first account is an operator.
    const { accessToken: bearer, merchants } = (await call('POST', '/v1/auth/sign-up', { json: signUp })).json
    const keys = `/v1/merchants/${merchants[0].id}/api-keys`
    const { secret } = (await call('POST', keys, { bearer, json: { name: 'Shop', access: 'full' } })).json
    const json = { amountMinor: 1000, currency: 'USD' }
    const { id } = (await call('POST', '/v1/payment-links', { bearer: secret, json })).json

    const slow = await stalledSocket({ call, url: main.url }, bearer, `&actor=${id}`)
    await insertLargeTransitions(db.sql, { actor: decodeId('plink', id) ?? '', kind: 'payment_link', state: 'active' })
    const closed = () => main.lines.find(line => line.includes('slow inspector client closed'))
    expect(Number(JSON.parse(await until(closed)).behind)).toBeGreaterThanOrEqual(1_000)
    expect(await slow.closeCode()).toBe(1013)
    // The server goes on.
    expect((await main.get('/readyz'))?.status).toBe(200)
  },
  90_000,
)

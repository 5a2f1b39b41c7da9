import { afterAll, expect, test } from 'bun:test'
import { healthRoutes } from '../../src/http/health.ts'
import { metricsRoutes } from '../../src/http/metrics.ts'
import { apiServer } from '../harness/api.ts'

let ms = 0
const longestLockWait = () => ({ kind: 'payment', actor: '01a2144d-68ad-72eb-91f7-5deea324704a', ms })
const server = await apiServer({
  routes: [
    ...healthRoutes({}, undefined, longestLockWait),
    ...metricsRoutes({}, { sending: undefined, longestLockWait }),
  ],
  env: { TRUSTED_PROXIES: '' },
})
afterAll(() => server[Symbol.asyncDispose]())

test.each([
  [29_999, 'ok'],
  [42_000, 'a payment has waited 42 s for a row that another transaction has locked'],
])('a payment has waited 42 s for a row that another transaction has locked', async (waited, locks) => {
  ms = waited
  const { status, json } = await server.call('GET', '/readyz')
  expect(status).toBe(200)
  expect(json).toMatchObject({ status: 'ready', locks })
  const { text } = await server.call('GET', '/metrics')
  expect(text).toContain(`paymachine_lock_wait_seconds ${waited / 1_000}`)
})

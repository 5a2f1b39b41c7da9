import { expect, test } from 'bun:test'
import { authRoutes } from '../../src/http/auth.ts'
import { apiServer } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { password, signedUp, visitor } from './visitor.ts'

test('200 simultaneous sign-ins from one /48 do not block those of other clients', async () => {
  await using server = await apiServer({ routes: authRoutes, env: { SIGN_UP: 'open' } })
  await signedUp(server)
  const other = visitor(server, '198.51.100.7')
  let answered = 0
  const flood = Array.from({ length: 200 }, async (_, n) => {
    const guess = { email: `nobody${n}@lamps.example`, password: 'a wrong one' }
    await visitor(server, `2001:db8:1:${n.toString(16)}::1`).post('sign-in', guess)
    answered++
  })
  // All requests have arrived by then: each connection was open before the first password was compared.
  await until(() => answered > 0)
  const { status } = await other.post('sign-in', { email: 'anna@lamps.example', password })
  expect([status, answered < 100]).toEqual([200, true])
  await Promise.all(flood)
})

import { expect, test } from 'bun:test'
import { authRoutes } from '../../src/http/auth.ts'
import { apiServer } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { password, signedUp, visitor } from './visitor.ts'

test('a client with a whole /48 that signs in 200 times at once lets others in between', async () => {
  await using server = await apiServer({ routes: authRoutes, env: { SIGN_UP: 'open' } })
  await signedUp(server)
  const other = visitor(server, '198.51.100.7')
  let answered = 0
  const flood = Array.from({ length: 200 }, async (_, n) => {
    const guess = { email: `nobody${n}@lamps.example`, password: 'a wrong one' }
    await visitor(server, `2001:db8:1:${n.toString(16)}::1`).post('sign-in', guess)
    answered++
  })
  // All have arrived by then: each connection was there before the first password was compared.
  await until(() => answered > 0)
  const { status } = await other.post('sign-in', { email: 'anna@lamps.example', password })
  expect([status, answered < 100]).toEqual([200, true])
  await Promise.all(flood)
})

import { expect, test } from 'bun:test'
import { type } from 'arktype'
import { forAnybody } from '../../src/http/route.ts'
import { apiHouse } from '../harness/api.ts'

const routes = [
  forAnybody('GET', { path: '/v1/lamps', handle: () => ({ status: 200, body: { object: 'list' } }) }),
  forAnybody('POST', {
    path: '/v1/lamps',
    body: type({ room: 'string', 'watts?': 'number.integer', 'shade?': { 'colour?': 'string' } }),
    handle: (_, { body }) => ({ status: 201, body }),
  }),
]

test('a route answers JSON with a request id, and nothing keeps it', async () => {
  await using house = await apiHouse({ routes })
  const answer = await house.call('POST', '/v1/lamps', { json: { room: 'attic' } })
  expect(answer.status).toBe(201)
  expect(answer.json).toEqual({ room: 'attic' })
  expect(answer.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

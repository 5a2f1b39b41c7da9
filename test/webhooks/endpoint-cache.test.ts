import { afterAll, describe, expect, test } from 'bun:test'
import { openKeyring } from '../../src/keyring.ts'
import { openEndpointCache } from '../../src/webhooks/endpoint-cache.ts'
import { T0 } from '../machines/table.ts'
import { keyring } from './loopback.ts'
import { SECRET, sendingInstance } from './sending-instance.ts'

const instance = await sendingInstance()
afterAll(() => instance[Symbol.asyncDispose]())

const NEW_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const lost = openKeyring('another secret key, which was lost')

/** The secrets that sign for an endpoint whose secret was replaced, at T0. */
const secretsOf = async (current: string, previous: string, previousUntil: Date) => {
  const id = await instance.addEndpoint('https://192.0.9.1/')
  const [sealed, previousSealed] = [current, previous].map(secret =>
    (secret === 'lost' ? lost : keyring).seal('webhook secret', id, secret),
  )
  await instance.sql`
    update webhook_endpoints set sealed_secret = ${sealed ?? ''}, previous_sealed_secret = ${previousSealed ?? ''},
      previous_until = ${previousUntil}
    where id = ${id}`
  const endpoint = (await openEndpointCache(instance.sql, keyring).read([id])).get(id)
  return endpoint instanceof Error ? 'nothing' : endpoint?.secrets(T0)
}
const [past, future] = [T0, new Date(T0.getTime() + 1)]

describe('for an endpoint signs', () => {
  test('the new secret first, and the old one until it expires', async () => {
    expect(await secretsOf(NEW_SECRET, SECRET, future)).toEqual([NEW_SECRET, SECRET])
    expect(await secretsOf(NEW_SECRET, SECRET, past)).toEqual([NEW_SECRET])
  })

  test('only the new secret, if the old one cannot be decrypted', async () => {
    expect(await secretsOf(NEW_SECRET, 'lost', past)).toEqual([NEW_SECRET])
    expect(await secretsOf(NEW_SECRET, 'lost', future)).toEqual([NEW_SECRET])
  })

  test('no secret, if the new one cannot be decrypted', async () => {
    expect(await secretsOf('lost', SECRET, future)).toBe('nothing')
  })
})

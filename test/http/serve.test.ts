import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { serve } from '../../src/http/serve.ts'
import { unusedPort } from '../harness/unused-port.ts'

test('on stop a request in progress is answered, and later ones are not accepted', async () => {
  const port = await unusedPort()
  const arrived = Promise.withResolvers<void>()
  const release = Promise.withResolvers<string>()
  const app = new Elysia().get('/slow', () => {
    arrived.resolve()
    return release.promise
  })
  const serving = await serve(app, { host: '127.0.0.1', port })
  const answer = fetch(`http://127.0.0.1:${port}/slow`)
  await arrived.promise
  const stopped = serving.stop()
  await expect(fetch(`http://127.0.0.1:${port}/slow`)).rejects.toThrow()
  release.resolve('done')
  expect(await (await answer).text()).toBe('done')
  await stopped
})

test('a request that never ends does not prevent the server from stopping', async () => {
  const port = await unusedPort()
  const arrived = Promise.withResolvers<void>()
  const app = new Elysia().get('/endless', () => {
    arrived.resolve()
    return new Promise<string>(() => {})
  })
  const serving = await serve(app, { host: '127.0.0.1', port })
  const answer = fetch(`http://127.0.0.1:${port}/endless`).catch(() => 'cut off')
  await arrived.promise
  await serving.stop()
  expect(await answer).toBe('cut off')
})

test('a port that another program uses is not shared', async () => {
  const port = await unusedPort()
  const first = await serve(
    new Elysia().get('/', () => 'first'),
    { host: '127.0.0.1', port },
  )
  await expect(
    serve(
      new Elysia().get('/', () => 'second'),
      { host: '127.0.0.1', port },
    ),
  ).rejects.toThrow(`PORT ${port} on 127.0.0.1 is in use by another program`)
  await first.stop()
})

test('the runtime serves nothing that is no route of the program', async () => {
  const port = await unusedPort()
  const serving = await serve(
    new Elysia().get('/', () => 'here'),
    { host: '127.0.0.1', port },
  )
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
  expect([await statusOf('/'), await statusOf('/bun:info')]).toEqual([200, 404])
  await serving.stop()
})

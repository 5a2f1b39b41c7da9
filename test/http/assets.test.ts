import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { assetRoutes } from '../../src/http/assets.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'

let server: ApiServer
let path: string

beforeAll(async () => {
  server = await apiServer({ routes: assetRoutes, env: { CHECKOUT_RATE_LIMIT: '1', API_RATE_LIMIT_LIVE: '1' } })
  path = server.api.web.asset('pay/pay.css')
})
afterAll(() => server[Symbol.asyncDispose]())

/** Without decompression. */
const get = async (path: string, acceptEncoding?: string, method = 'GET') => {
  const response = await fetch(server.url + path, {
    method,
    decompress: false,
    headers: { 'accept-encoding': acceptEncoding ?? 'identity' },
  })
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

test('a file of the build is cached for good, and its type is not guessed', async () => {
  const { response, bytes } = await get(path)
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept-encoding',
  })
  expect(response.headers.has('content-encoding')).toBe(false)
  expect(textOf(bytes)).toBe(server.api.web.styleText('pay/pay.css'))
  const { response: module } = await get(server.api.web.asset('pay/main.ts'))
  expect(module.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
})

describe('the encoding is the smallest of those the client likes best:', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['BR;Q=0.9, gzip;q=0.9', 'br'],
    ['*', 'br'],
    ['identity, gzip;q=0.5', null],
    ['gzip;q=0', null],
    ['*;q=0', null],
    ['zstd', null],
    ['', null],
  ])('%p is answered in %p', async (accepted, encoding) => {
    const { response, bytes } = await get(path, accepted)
    expect(response.headers.get('content-encoding')).toBe(encoding)
    const text = encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes
    expect(textOf(text)).toBe(server.api.web.styleText('pay/pay.css'))
  })
})

test('HEAD has the headers of GET and no body', async () => {
  const { response: whole, bytes } = await get(path, 'br')
  const { response, bytes: none } = await get(path, 'br', 'HEAD')
  expect(none).toHaveLength(0)
  expect(response.headers.get('content-length')).toBe(String(bytes.length))
  expect(response.headers.get('content-encoding')).toBe(whole.headers.get('content-encoding'))
})

test('only names of the build are found', async () => {
  const name = path.slice('/assets/'.length)
  for (const other of [
    'manifest.json',
    `${name}.br`,
    `${name}.gz`,
    '..%2fmanifest.json',
    '../package.json',
    '%2e%2e',
    '',
  ])
    expect([other, (await get(`/assets/${other}`)).response.status]).toEqual([other, 404])
  for (const other of [`/assets/x/${name}`, `/assets//${name}`])
    expect([other, (await get(other)).response.status]).toEqual([other, 404])
  expect((await get(path, '', 'POST')).response.status).toBe(405)
})

test('a page may load all its files at once, whatever the limits of the API are', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => get(path)))
  expect(answers.filter(({ response }) => response.status !== 200)).toEqual([])
})

import { afterAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { logoFileRoutes, logoRoutes } from '../../src/http/logos.ts'
import { settingsRoutes } from '../../src/http/settings.ts'
import { apiServer, type Called } from '../harness/api.ts'
import { losslessWebp, padded, patched, png, smallest } from './images.ts'
import { forgetProof, member, type Person, type Shop, shop } from './people.ts'

const to = await apiServer({
  routes: [...settingsRoutes, ...logoRoutes, ...logoFileRoutes],
  env: { PUBLIC_URL: 'https://pay.lamps.example', API_RATE_LIMIT_LIVE: '0' },
})
afterAll(() => to[Symbol.asyncDispose]())

type Image = Uint8Array<ArrayBuffer>
type Sent = {
  readonly type?: string
  readonly by?: Person
  readonly query?: string
  readonly headers?: Record<string, string>
}

const upload = (of: Shop, body: Image, { type = 'image/png', by = of.owner, query = '', headers = {} }: Sent = {}) =>
  to.call('POST', `${of.path}/settings/logo${query}`, {
    ...{ bearer: by.bearer, body },
    headers: { 'content-type': type, ...headers },
  })
const remove = (of: Shop, by = of.owner) => to.call('DELETE', `${of.path}/settings/logo`, { bearer: by.bearer })
const logoOf = async (of: Shop, query = '') => {
  const { json } = await to.call('GET', `${of.path}/settings${query}`, { bearer: of.owner.bearer })
  return (json as { branding: { logoUrl: string | null } }).branding.logoUrl
}
const download = (url: string | null, method = 'GET') => fetch(`${to.url}${new URL(url ?? '').pathname}`, { method })
const nameOf = (image: Image, extension: string) => `${createHash('sha256').update(image).digest('hex')}.${extension}`
const refusalOf = ({ status, json }: Called) => {
  const { code, message } = (json as { error: { code: string; message: string } }).error
  return [status, code, message]
}
const files = async () =>
  (await to.sql<{ name: string }[]>`select name from logos order by name`).map(({ name }) => name)

describe('POST /v1/merchants/:merchantId/settings/logo', () => {
  test.each([
    ['image/png', smallest['image/png'], 'png'],
    ['image/jpeg', smallest['image/jpeg'], 'jpg'],
    ['image/webp', smallest['image/webp'], 'webp'],
    ['image/webp', losslessWebp, 'webp'],
    ['IMAGE/PNG', png(2_000, 2_000), 'png'],
    ['image/png', padded(256 * 1024), 'png'],
  ])('200: %s, which is served unchanged', async (type, image, extension) => {
    const lamps = await shop(to.api)
    const { status, json } = await upload(lamps, image, { type })
    const logoUrl = `https://pay.lamps.example/logos/${nameOf(image, extension)}`
    expect([status, json]).toEqual([200, expect.objectContaining({ object: 'settings', name: 'Lamps' })])
    expect(json).toMatchObject({ livemode: false, branding: { logoUrl, accentColor: null } })
    expect([await logoOf(lamps), await logoOf(lamps, '?livemode=true')]).toEqual([logoUrl, logoUrl])

    const answer = await download(logoUrl)
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(image))).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': type.toLowerCase(),
      'content-length': String(image.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const head = await download(logoUrl, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(image.length),
      '',
    ])
  })

  test('200: the settings of the mode that is asked for, and an entry in the audit log', async () => {
    const lamps = await shop(to.api)
    expect((await upload(lamps, png(2, 2), { query: '?livemode=true' })).json).toMatchObject({ livemode: true })
    await upload(lamps, png(2, 2))
    await upload(lamps, png(3, 3))
    await remove(lamps)
    await remove(lamps)
    const entries = await to.sql<{ action: string; actor: string; changed: object }[]>`
      select action, actor, details->'changed'->'logo' as changed from security_events
      where merchant_id = ${lamps.merchantId} order by at, id`
    const [two, three] = [png(2, 2), png(3, 3)].map(image => nameOf(image, 'png'))
    const of = { action: 'settings.changed', actor: lamps.owner.id }
    expect([...entries]).toEqual([
      { ...of, changed: { from: null, to: two } },
      { ...of, changed: { from: two, to: three } },
      { ...of, changed: { from: three, to: null } },
    ])
  })

  test('200: for developers, without a recent proof', async () => {
    const lamps = await shop(to.api)
    const developer = await member(to.api, lamps, 'developer')
    await forgetProof(to.api, developer)
    expect((await upload(lamps, png(4, 4), { by: developer })).status).toBe(200)
    expect((await remove(lamps, developer)).status).toBe(204)
  })

  test('413: one byte more than 256 KiB, whether or not the length is announced', async () => {
    const lamps = await shop(to.api)
    const image = padded(256 * 1024 + 1)
    expect(refusalOf(await upload(lamps, image))).toEqual([
      ...[413, 'body_too_large', 'The request body is larger than 256 KiB.'],
    ])
    const stream = new ReadableStream({
      start: controller => {
        for (let at = 0; at < image.length; at += 65_536) controller.enqueue(image.subarray(at, at + 65_536))
        controller.close()
      },
    })
    const streamed = await to.call('POST', `${lamps.path}/settings/logo`, {
      ...{ bearer: lamps.owner.bearer, body: stream, headers: { 'content-type': 'image/png' } },
    })
    expect(streamed.status).toBe(413)
    // Its type is of no interest then.
    expect((await upload(lamps, image, { type: 'text/html' })).status).toBe(413)
    expect(await logoOf(lamps)).toBeNull()
  })

  test.each([
    '',
    'image/gif',
    'image/svg+xml',
    'image/*',
    'text/html',
    'application/json',
    'image/png; charset=utf-8',
    'multipart/form-data; boundary=x',
  ])('415: %p', async type => {
    const lamps = await shop(to.api)
    expect(refusalOf(await upload(lamps, png(1, 1), { type }))).toEqual([
      ...[415, 'unsupported_media_type', 'The request body must be image/png or image/jpeg or image/webp.'],
    ])
    expect(await logoOf(lamps)).toBeNull()
  })

  test('415: compressed', async () => {
    const lamps = await shop(to.api)
    const headers = { 'content-encoding': 'gzip' }
    expect((await upload(lamps, png(1, 1), { headers })).status).toBe(415)
  })

  const html = new TextEncoder().encode(`<script>alert(1)</script>${' '.repeat(40)}`)
  test.each<[string, Image, string?]>([
    ['nothing', new Uint8Array()],
    ['a page', html],
    ['a JPEG that calls itself PNG', smallest['image/jpeg']],
    ['a PNG that calls itself WebP', png(1, 1), 'image/webp'],
    ['a GIF', new TextEncoder().encode(`GIF89a${' '.repeat(40)}`)],
    ['the beginning of a PNG', png(1, 1).slice(0, 20)],
    ['a PNG of no width', patched(png(1, 1), 16, 0, 0, 0, 0)],
  ])('400: %s', async (_, image, type = 'image/png') => {
    const lamps = await shop(to.api)
    expect(refusalOf(await upload(lamps, image, { type }))).toEqual([
      ...[400, 'parameter_invalid', `The request body is not an image of the type ${type}.`],
    ])
    expect(await logoOf(lamps)).toBeNull()
  })

  test.each([
    [2_001, 1],
    [1, 2_001],
    [50_000, 50_000],
  ])('400: %d × %d pixels', async (width, height) => {
    const [high, low] = [width, height].map(size => [0, 0, size >> 8, size & 255])
    const image = patched(patched(png(1, 1), 16, ...(high ?? [])), 20, ...(low ?? []))
    expect(refusalOf(await upload(await shop(to.api), image))).toEqual([
      ...[400, 'parameter_invalid', 'The image must not be larger than 2000 × 2000 pixels.'],
    ])
  })

  test('400: a query that is none', async () => {
    const lamps = await shop(to.api)
    expect((await upload(lamps, png(1, 1), { query: '?size=2' })).status).toBe(400)
    expect((await upload(lamps, png(1, 1), { query: '?livemode=x' })).status).toBe(400)
  })

  test('403 for viewers, 404 for strangers, 401 without a session; before the body is read', async () => {
    const lamps = await shop(to.api)
    const viewer = await member(to.api, lamps, 'viewer')
    const other = await shop(to.api, 'Chairs')
    const image = padded(300 * 1024)
    expect((await upload(lamps, image, { by: viewer })).status).toBe(403)
    expect((await upload(lamps, image, { by: other.owner })).status).toBe(404)
    expect((await upload(lamps, image, { by: { ...viewer, bearer: 'x' } })).status).toBe(401)
    expect((await remove(lamps, viewer)).status).toBe(403)
    expect((await remove(lamps, other.owner)).status).toBe(404)
  })
})

describe('the file of a logo', () => {
  test('is kept as long as a merchant uses it', async () => {
    const [lamps, chairs] = [await shop(to.api), await shop(to.api, 'Chairs')]
    const image = png(11, 11)
    const name = nameOf(image, 'png')
    await upload(lamps, image)
    await upload(chairs, image)
    const url = await logoOf(lamps)
    expect(await logoOf(chairs)).toBe(url)
    expect((await remove(lamps)).status).toBe(204)
    expect((await download(url)).status).toBe(200)
    await upload(chairs, png(12, 12))
    expect((await download(url)).status).toBe(404)
    expect(await files()).not.toContain(name)
    // And it can come back.
    await upload(lamps, image)
    expect((await download(url)).status).toBe(200)
  })

  test('is never missing, however many merchants change theirs at once', async () => {
    const shops = await Promise.all(Array.from({ length: 6 }, (_, n) => shop(to.api, `Shop ${n}`)))
    const images = [png(21, 21), png(22, 22), png(23, 23)]
    for (let round = 0; round < 15; round++) {
      const answers = await Promise.all(
        shops.map((of, n) => {
          const image = images[(n + round) % 4]
          return image ? upload(of, image) : remove(of)
        }),
      )
      expect(answers.map(({ status }) => status).filter(status => status !== 200 && status !== 204)).toEqual([])
    }
    const used = (await Promise.all(shops.map(of => logoOf(of)))).filter(url => url !== null)
    for (const url of used) expect((await download(url)).status).toBe(200)
    const of = images.map(image => nameOf(image, 'png')).sort()
    const there = new Set(used.map(url => url.split('/').at(-1) ?? ''))
    expect((await files()).filter(name => of.includes(name))).toEqual(of.filter(name => there.has(name)))
  })

  const hash = 'a'.repeat(64)
  test.each([
    `${hash}.png`,
    `${hash}.gif`,
    hash,
    `${hash.toUpperCase()}.png`,
    `${hash}.png%00`,
    `${hash}.toString`,
    '..%2f..%2fetc',
    'x',
  ])('404: %s', async file => {
    const answer = await to.call('GET', `/logos/${file}`)
    expect(refusalOf(answer).slice(0, 2)).toEqual([404, 'resource_not_found'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

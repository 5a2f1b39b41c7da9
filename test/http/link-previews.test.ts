import { describe, expect, test } from 'bun:test'
import { checkoutServer, type Visited } from './checkouts.ts'
import { contentsOf } from './contents.ts'
import { member, type Person, type Shop, shop } from './people.ts'

const { server, visit } = await checkoutServer()

const post = ({ path, owner }: Shop, below: string, json: object, as: Person = owner) =>
  server.call('POST', `${path}/payment-links${below}`, { bearer: as.bearer, json })

const ten = { amountMinor: 1000, currency: 'USD' }

describe('POST /payment-links/preview', () => {
  test.each<[string, object]>([
    ['with all assets', { ...ten, title: 'A lamp', description: 'Brass.' }],
    ['with one asset', { ...ten, currency: 'EUR', assets: [{ chainId: 31337, asset: 'ETH' }] }],
  ])('200: what customers of the link see, %s; nothing is stored', async (_, json) => {
    const lamps = await shop(server.api)
    const before = await contentsOf(server.sql)
    const preview = await post(lamps, '/preview', json)
    expect(preview.status).toBe(200)
    expect(await contentsOf(server.sql)).toEqual(before)
    const { id } = (await post(lamps, '', json)).json as { id: string }
    const { link, options } = await visit(id)
    const previewed = preview.json as Visited
    expect(previewed.link).toEqual({ ...link, id: expect.stringMatching(/^plink_/) })
    expect(previewed.link.id).not.toBe(id)
    const withoutTime = (shown: Visited['options']) => shown.map(option => ({ ...option, quoteExpiresAt: null }))
    expect(withoutTime(previewed.options)).toEqual(withoutTime(options))
    expect(options.length).toBeGreaterThan(0)
  })

  test('200: in live mode, the options of live mode', async () => {
    const lamps = await shop(server.api)
    const preview = await post(lamps, '/preview?livemode=true', ten)
    expect([preview.status, (preview.json as Visited).options]).toEqual([200, []])
  })

  test.each<[object, number, string, string]>([
    [{ currency: 'USD' }, 400, 'parameter_missing', 'amountMinor'],
    [{ ...ten, amountMinor: 0 }, 400, 'parameter_invalid', 'amountMinor'],
    [{ ...ten, expiresAt: '2020-01-01T00:00:00Z' }, 400, 'parameter_invalid', 'expiresAt'],
    [{ ...ten, amount: 1 }, 400, 'parameter_unknown', 'amount'],
    [{ ...ten, currency: 'GBP' }, 422, 'unsupported_currency', 'currency'],
    [{ ...ten, assets: [{ chainId: 1, asset: 'ETH' }] }, 422, 'unsupported_asset', 'assets.0.chainId'],
    [{ ...ten, assets: [{ chainId: 31337, asset: 'DAI' }] }, 422, 'unsupported_asset', 'assets.0.asset'],
  ])('refused as a creation is: %j', async (json, status, code, param) => {
    const lamps = await shop(server.api)
    for (const below of ['', '/preview']) {
      const answer = await post(lamps, below, json)
      expect([answer.status, answer.json]).toMatchObject([status, { error: { code, param } }])
    }
  })

  test('403: a viewer', async () => {
    const lamps = await shop(server.api)
    expect((await post(lamps, '/preview', ten, await member(server.api, lamps, 'viewer'))).status).toBe(403)
  })
})

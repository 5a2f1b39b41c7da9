import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Actors, openActors } from '../../src/actors/actors.ts'
import { Unavailable } from '../../src/actors/command.ts'
import { decodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { type IdempotencyServer, idempotencyServer, idOf, isReplay, newKey, ten } from './idempotency.ts'

let server: IdempotencyServer
beforeAll(async () => {
  server = await idempotencyServer()
})
afterAll(async () => expect(await server.close()).toEqual([]))

const send: IdempotencyServer['send'] = (key, sent) => server.send(key, sent)

describe('at once', () => {
  test('a hundred identical requests create one link and get the same bytes', async () => {
    const key = newKey()
    const json = { ...ten, reference: 'a hundred' }
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(key, { json })))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(answers.filter(isReplay)).toHaveLength(99)
    expect(await server.linksOf(json.reference)).toBe(1)
  })

  test('a hundred requests without a reference, in two processes, with other requests among them', async () => {
    const key = newKey()
    const there = await server.elsewhere()
    const [before] = await server.server.sql<{ n: string }[]>`select count(*) as n from payment_links`
    const identical = Array.from({ length: 100 }, (_, n) => (n % 2 ? send(key) : there(key)))
    const others = Array.from({ length: 20 }, (_, n) => (n % 2 ? send(newKey()) : there(newKey())))
    const answers = await Promise.all(identical)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers.filter(isReplay)).toHaveLength(99)
    expect(new Set((await Promise.all(others)).map(idOf)).size).toBe(20)
    const [after] = await server.server.sql<{ n: string }[]>`select count(*) as n from payment_links`
    expect(Number(after?.n) - Number(before?.n)).toBe(21)
  })

  test('one key with fifty different bodies does one of them and refuses the others', async () => {
    const key = newKey()
    const there = await server.elsewhere()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        (n % 2 ? send : (k: string, { json }: { json: object }) => there(k, json))(key, {
          json: { ...ten, amountMinor: n + 1 },
        }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(49).fill(422)])
  })

  test('fifty deactivations with one key, or with fifty keys, happen once', async () => {
    const id = idOf(await send(undefined))
    const path = `/v1/payment-links/${id}/deactivate`
    const key = newKey()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => send(n % 2 ? key : newKey(), { path, json: {} })),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    const history = await server.server.sql`select event from transitions where actor = ${decodeId('plink', id) ?? ''}`
    expect(history.map(({ event }) => event)).toEqual(['create', 'deactivate'])
  })
})

describe('a crash', () => {
  const dying = (how: (actors: Actors) => Actors['dispatch']) =>
    server.elsewhere(actors => ({ actors: { ...actors, dispatch: how(actors) } }))

  test('between commit and response: the next try gets the stored response', async () => {
    const key = newKey()
    const json = { ...ten, reference: 'crashed after' }
    const crashing = await dying(actors => async command => {
      await actors.dispatch(command)
      throw new Error('killed')
    })
    expect((await crashing(key, json)).status).toBe(500)
    expect(await server.linksOf(json.reference)).toBe(1)
    const answers = [await send(key, { json }), await send(key, { json })]
    expect(answers.map(answer => [answer.status, isReplay(answer)])).toEqual(Array(2).fill([201, true]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers[0]?.json).toMatchObject(json)
  })

  test('before the commit: nothing is stored and the key is free', async () => {
    const key = newKey()
    const json = { ...ten, reference: 'crashed before' }
    const crashing = await dying(() => async () => {
      throw new Unavailable(new Error('killed'))
    })
    expect((await crashing(key, json)).status).toBe(503)
    expect(await server.linksOf(json.reference)).toBe(0)
    const answer = await send(key, { json })
    expect([answer.status, isReplay(answer)]).toEqual([201, false])
  })

  test.each(['before', 'after'])(
    'of the whole process %s the commit: the next try gets the right response',
    async when => {
      const key = newKey()
      const json = { ...ten, reference: `killed ${when}` }
      const program = new URL('dying-program.ts', import.meta.url).pathname
      const other = Bun.spawn([process.execPath, program, when], {
        env: { ...process.env, DATABASE_URL: server.databaseUrl, SECRET_KEY },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      const { value: said } = await other.stdout.getReader().read()
      const lost = fetch(`${new TextDecoder().decode(said).trim()}/v1/payment-links`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.bearer}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(json),
      })
      await expect(lost).rejects.toThrow()
      await other.exited
      expect(other.signalCode).toBe('SIGKILL')
      expect(await server.linksOf(json.reference)).toBe(when === 'after' ? 1 : 0)
      const answer = await send(key, { json })
      expect([answer.status, isReplay(answer)]).toEqual([201, when === 'after'])
      expect(await server.linksOf(json.reference)).toBe(1)
    },
  )

  test('of the database connection during the commit: the response reports what was done, once', async () => {
    // Any response of the database can be lost: of the reads, of the commit, of the query that finds its result.
    let replays = 0
    for (let lost = 1; lost <= 4; lost++) {
      await using path = await databaseProxy(server.databaseUrl)
      const sql = connect(path.url, { max: 1 })
      const actors = await openActors({ ...server.server.api, sql }, kinds)
      const there = await server.elsewhere(() => ({ actors }))
      const key = newKey()
      const json = { ...ten, reference: `lost ${lost}` }
      await sql`select 1`
      path.cutInsteadOfAnswer(lost)
      const answer = await there(key, json)
      const again = await send(key, { json })
      expect([lost, answer.status, again.status, again.text]).toEqual([lost, 201, 201, answer.text])
      replays += isReplay(answer) ? 1 : 0
      expect(await server.linksOf(json.reference)).toBe(1)
      await sql.end({ timeout: 1 })
    }
    // One of them was that of the commit, and its result was found.
    expect(replays).toBeGreaterThan(0)
  })
})

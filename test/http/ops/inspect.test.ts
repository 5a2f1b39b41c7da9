import { expect, test } from 'bun:test'
import { createMachine } from 'xstate'
import { routes } from '../../../src/http/routes.ts'
import { encodeId } from '../../../src/ids.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { makeCustomer } from '../customers.ts'
import { makeDispute } from '../disputes.ts'
import { makeLink } from '../links.ts'
import { openPayment, seen } from '../payments.ts'
import { operator, shop } from '../people.ts'
import { makePlan } from '../plans.ts'
import { fixtureOf } from '../records.ts'
import { makeRefund } from '../refunds.ts'
import { makeSubscription } from '../subscriptions.ts'
import { makeTestClock } from '../test-clocks.ts'
import { twoShops } from '../two-shops.ts'
import { makeEndpoint, sendTest } from '../webhooks.ts'
import { createTicket, inspectUrl, linesOf, openSocket, receive } from './inspecting.ts'

const { server, lamps, chairs } = await twoShops({ routes })
const test_ = { merchantId: lamps.merchantId, livemode: false }

const dispatch = async (actor: string, event: { type: string } & Record<string, unknown>, cause?: string) => {
  const outcome = await server.api.actors.dispatch({ kind: 'payment', actor, event, ...(cause && { cause }) })
  expect([event.type, outcome.ok]).toEqual([event.type, true])
}

test("the package's receiver gets the states of all actors, the newest first, and then every transition", async () => {
  const { bearer } = await operator(server.api)
  const { id, actor } = await openPayment(server.api, test_)
  const other = await openPayment(server.api, { ...test_, livemode: true })
  const messages = await receive(server, bearer)
  await until(() => messages.length >= 2)
  expect(linesOf(messages)).toEqual(['actor payment pending', 'actor payment pending'])
  expect(messages[0]?.sessionId).toBe(other.id)
  expect(messages[1]).toMatchObject({
    ...{ type: '@xstate.actor', sessionId: id, rootId: id, id, name: 'payment', _version: '0.7.2' },
    createdAt: expect.stringMatching(/^\d{13}$/),
    snapshot: { status: 'active', value: 'pending', context: { amountMinor: 1000, amountReceived: '0' } },
  })

  await dispatch(actor, seen('too_little_seen', 1n), 'chain:31337')
  await until(() => messages.length >= 4)
  expect(messages.slice(2)).toMatchObject([
    {
      type: '@xstate.event',
      sessionId: id,
      id: `${id}:3`,
      event: { type: 'too_little_seen' },
      sourceId: 'chain:31337',
    },
    {
      ...{ type: '@xstate.snapshot', sessionId: id, id: `${id}:3`, event: { type: 'too_little_seen' } },
      snapshot: { status: 'active', value: 'pending', context: { amountReceived: '1', exception: 'underpaid' } },
    },
  ])

  // An actor is introduced by its first transition.
  await openPayment(server.api, test_)
  await until(() => messages.length >= 9)
  expect(linesOf(messages.slice(4)).map(line => line.replace(/pay_\w+/, 'pay'))).toEqual([
    ...['actor payment pending', 'event pay create', 'snapshot pay create pending'],
    ...['event pay asset_picked', 'snapshot pay asset_picked pending'],
  ])
})

test('a definition makes the same machine, for every kind', async () => {
  const { bearer } = await operator(server.api)
  await makeRefund(server.api, test_)
  await makeDispute(server.api, test_, { submit: false })
  await makeLink(server.api, test_)
  await makeCustomer(server.api, test_)
  await makeTestClock(server.api, test_)
  await makePlan(server.api, test_)
  await makeSubscription(server.api, test_)
  // With its invoice, and the series of their numbers.
  await fixtureOf({ method: 'GET', path: '/v1/merchants/:merchantId/credit-notes/:id' })?.make(server.api, lamps, false)
  await sendTest(server.api, lamps, (await makeEndpoint(server.api, lamps, { livemode: false })).row)
  const { messages, socket } = await openSocket(server, bearer)
  await until(() => new Set(messages.map(({ name }) => name)).size === kinds.length)
  socket.close()
  const seenKinds = new Set<string>()
  for (const { name = '', definition = '' } of messages) {
    if (seenKinds.has(name)) continue
    seenKinds.add(name)
    const machine = createMachine(JSON.parse(definition))
    const kind = kinds.find(each => each.name === name) ?? expect.unreachable(name)
    expect(Object.keys(machine.states).sort()).toEqual(Object.keys(kind.machine.states).sort())
    expect(machine.root.initial.target?.[0]?.key).toBe(kind.machine.root.initial.target?.[0]?.key ?? '')
    for (const [key, { ownEvents }] of Object.entries(machine.states))
      expect([...ownEvents].sort()).toEqual([...(kind.machine.states[key]?.ownEvents ?? [])].sort())
  }
})

test('filters choose a kind, an actor or a merchant', async () => {
  const { bearer } = await operator(server.api)
  const one = await openPayment(server.api, test_)
  await makeLink(server.api, { merchantId: lamps.merchantId, livemode: false })
  const foreign = await openPayment(server.api, { merchantId: chairs.merchantId, livemode: false })
  const sockets = {
    kind: await openSocket(server, bearer, '&kind=payment_link'),
    actor: await openSocket(server, bearer, `&actor=${one.id}`),
    merchant: await openSocket(server, bearer, `&merchantId=${encodeId('mer', chairs.merchantId)}`),
    both: await openSocket(server, bearer, `&merchantId=${encodeId('mer', chairs.merchantId)}&actor=${one.id}`),
  }
  await until(() => sockets.actor.messages.length === 1 && sockets.merchant.messages.length === 1)
  await dispatch(one.actor, seen('too_little_seen', 1n))
  await dispatch(foreign.actor, seen('too_little_seen', 1n))
  await until(() => sockets.actor.messages.length >= 3 && sockets.merchant.messages.length >= 3)
  await until(() => sockets.kind.messages.length > 0)
  expect([...new Set(linesOf(sockets.kind.messages))]).toEqual(['actor payment_link active'])
  expect(linesOf(sockets.actor.messages)).toEqual([
    'actor payment pending',
    `event ${one.id} too_little_seen`,
    `snapshot ${one.id} too_little_seen pending`,
  ])
  expect(linesOf(sockets.merchant.messages)).toEqual([
    'actor payment pending',
    `event ${foreign.id} too_little_seen`,
    `snapshot ${foreign.id} too_little_seen pending`,
  ])
  expect(sockets.both.messages).toEqual([])
  for (const { socket } of Object.values(sockets)) socket.close()
})

test('transitions that are committed while the states are sent are neither lost nor repeated', async () => {
  const { bearer } = await operator(server.api)
  const payments = await Promise.all(Array.from({ length: 40 }, () => openPayment(server.api, test_)))
  const moving = (async () => {
    for (let n = 1n; n <= 20n; n++)
      await Promise.all(payments.map(({ actor }) => dispatch(actor, seen('too_little_seen', n))))
  })()
  const opened = await Promise.all(Array.from({ length: 5 }, () => openSocket(server, bearer)))
  await moving
  for (const { messages, socket } of opened) {
    // The creation, the choice of the asset, and twenty others.
    const last = (id: string) => `${id}:22`
    await until(() => payments.every(({ id }) => messages.some(message => message.id === last(id))))
    for (const { id } of payments) {
      const own = messages.filter(({ sessionId }) => sessionId === id)
      const [first, ...rest] = own
      const received = Number(Object(first?.snapshot?.context).amountReceived)
      expect(first?.type).toBe('@xstate.actor')
      const revs = rest.flatMap(({ type, id }) => (type === '@xstate.event' ? [Number(id.split(':')[1])] : []))
      expect(revs).toEqual(Array.from({ length: 20 - received }, (_, n) => received + 3 + n))
      expect(rest).toHaveLength(revs.length * 2)
    }
    socket.close()
  }
})

const handshake = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(url.replace(/^ws/, 'http'), {
    headers: {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      ...{ 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', ...headers },
    },
    signal: AbortSignal.timeout(3_000),
  })
  return `${answer.status} ${/"code":"(\w+)"/.exec(await answer.text())?.[1]}`
}

test('a ticket is valid once, for a minute, and for a session of an operator', async () => {
  const { bearer } = await operator(server.api)
  const used = await createTicket(server, bearer)
  const first = new WebSocket(inspectUrl(server, used))
  await new Promise(resolve => {
    first.onopen = resolve
  })
  first.close()
  expect(await handshake(inspectUrl(server, used))).toBe('401 invalid_token')

  for (const wrong of ['', 'x', 'x'.repeat(43), `${'x'.repeat(43)}%00`])
    expect(await handshake(inspectUrl(server, wrong))).toBe('401 invalid_token')

  const late = await createTicket(server, bearer)
  await server.sql`update inspector_tickets set expires_at = now() - interval '1 ms'`
  expect(await handshake(inspectUrl(server, late))).toBe('401 invalid_token')

  const leaving = await operator(server.api)
  const ofLeaving = await createTicket(server, leaving.bearer)
  await server.sql`update accounts set operator = false where id = ${leaving.accountId}`
  expect(await handshake(inspectUrl(server, ofLeaving))).toBe('401 invalid_token')

  const ending = await operator(server.api)
  const ofEnding = await createTicket(server, ending.bearer)
  await server.sql`update sessions set ended_at = now() where account_id = ${ending.accountId}`
  expect(await handshake(inspectUrl(server, ofEnding))).toBe('401 invalid_token')
  // Only hashes are stored.
  const ticket = await createTicket(server, bearer)
  const [row] = await server.sql<{ text: string }[]>`select t::text as text from inspector_tickets t`
  expect(row?.text).not.toContain(ticket)
})

test('two requests with one ticket open one WebSocket', async () => {
  const { bearer } = await operator(server.api)
  for (let round = 0; round < 5; round++) {
    const url = inspectUrl(server, await createTicket(server, bearer))
    const sockets = Array.from({ length: 4 }, () => new WebSocket(url))
    const opened = await Promise.all(
      sockets.map(
        socket =>
          new Promise<boolean>(resolve => {
            socket.onopen = () => resolve(true)
            socket.onerror = () => resolve(false)
          }),
      ),
    )
    expect(opened.filter(Boolean)).toHaveLength(1)
    for (const socket of sockets) socket.close()
  }
})

test('a page of another site is refused and does not use up the ticket', async () => {
  const { bearer } = await operator(server.api)
  const url = inspectUrl(server, await createTicket(server, bearer))
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost.evil.example' },
    { origin: server.url.replace('http', 'https').replace(/\d+$/, '1') },
  ])
    expect(await handshake(url, headers)).toBe('403 insufficient_role')
  const socket = new WebSocket(url, { headers: { origin: server.url } } as never)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  socket.close()
})

test('without an upgrade, and with unknown filters, the request is refused', async () => {
  const { bearer } = await operator(server.api)
  const get = async (query: string, headers = {}) => {
    const ticket = await createTicket(server, bearer)
    const { status, json } = await server.call('GET', `/v1/ops/inspect?ticket=${ticket}${query}`, { headers })
    const { code, param } = (json as { error: { code: string; param: string } }).error
    return `${status} ${code} ${param}`
  }
  expect(await get('')).toBe('400 parameter_invalid Upgrade')
  expect(await get('&kind=lamp')).toBe('400 parameter_invalid kind')
  expect(await get('&actor=pay_x')).toBe('400 parameter_invalid actor')
  expect(await get('&merchantId=x')).toBe('400 parameter_invalid merchantId')
  expect(await get('&limit=1')).toBe('400 parameter_unknown limit')
})

test('messages of the client are ignored', async () => {
  const { bearer } = await operator(server.api)
  const { id, actor } = await openPayment(server.api, test_)
  const { socket, messages } = await openSocket(server, bearer, `&actor=${id}`)
  for (const text of ['', '{"type":"@xstate.event"}', 'x'.repeat(60_000)]) socket.send(text)
  socket.send(new Uint8Array(1_000))
  await until(() => messages.length === 1)
  await dispatch(actor, seen('too_little_seen', 1n))
  await until(() => messages.length === 3)
  socket.close()
})

test('the end of the session and of the right to operate close the WebSocket with 1008', async () => {
  const [ending, leaving] = [await operator(server.api), await operator(server.api)]
  const [one, two] = [await openSocket(server, ending.bearer), await openSocket(server, leaving.bearer)]
  await server.sql`update sessions set ended_at = now() where account_id = ${ending.accountId}`
  await server.sql`update accounts set operator = false where id = ${leaving.accountId}`
  expect([await one.closed, await two.closed]).toEqual([1008, 1008])
})

test('a session may have ten WebSockets, and closed ones are released', async () => {
  const { bearer } = await operator(server.api)
  const opened = await Promise.all(Array.from({ length: 10 }, () => openSocket(server, bearer)))
  expect(await handshake(inspectUrl(server, await createTicket(server, bearer)))).toBe('429 rate_limited')
  opened[0]?.socket.close()
  await opened[0]?.closed
  await until(() =>
    openSocket(server, bearer).then(
      ({ socket }) => opened.push({ socket } as never),
      () => 0,
    ),
  )
  for (const { socket } of opened) socket.close()
})

test('no message has an e-mail address, a name or metadata', async () => {
  const { bearer } = await operator(server.api)
  const mark = 'marked-value'
  const own = await shop(server.api, `${mark} shop`)
  const opening = { merchantId: own.merchantId, livemode: false }
  await openPayment(server.api, opening)
  const { messages, socket } = await openSocket(server, bearer, `&merchantId=${encodeId('mer', own.merchantId)}`)
  // It is open before the server has read the states: a transition in between would be in the state already.
  await until(() => messages.length >= 1)
  const { actor } = await openPayment(server.api, opening)
  await server.sql`
    update payments set customer_email = ${`${mark}@example.com`}, customer_name = ${mark}, metadata = ${JSON.stringify({ a: mark })}::text::json
    where id = ${actor}`
  const again = await openSocket(server, bearer, `&merchantId=${encodeId('mer', own.merchantId)}`)
  await until(() => again.messages.length >= 2)
  await dispatch(actor, seen('too_little_seen', 1n), own.owner.id)
  await until(() => messages.length >= 8 && again.messages.length >= 4)
  expect(JSON.stringify([messages, again.messages])).not.toContain(mark)
  for (const each of [socket, again.socket]) each.close()
  await server.sql`update payments set customer_email = 'c@example.com', customer_name = null, metadata = '{}' where id = ${actor}`
})

test('the server closes all WebSockets with 1001 when it stops', async () => {
  const stopping = await apiServer({ routes })
  const { closed } = await openSocket(stopping, (await operator(stopping.api)).bearer)
  await stopping[Symbol.asyncDispose]()
  expect(await closed).toBe(1001)
})

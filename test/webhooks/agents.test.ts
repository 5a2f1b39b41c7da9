import { expect, test } from 'bun:test'
import { type Agents, openAgents } from '../../src/webhooks/agents.ts'
import { openDeadlines } from '../../src/webhooks/deadlines.ts'
import { postOnce } from '../../src/webhooks/send.ts'
import { parseTarget, type WebhookTarget } from '../../src/webhooks/target.ts'
import { until } from '../harness/until.ts'
import { cert } from './certificate.ts'
import { answer, rawReceiver } from './raw-receiver.ts'

const targetOf = (url: string): WebhookTarget => {
  const target = parseTarget(url)
  if (typeof target === 'string') throw new Error(target)
  return target
}

const post = (agents: Agents, url: string) => {
  const target = targetOf(url)
  const agent = agents.for(target, '127.0.0.1')
  const headers = { Host: target.host, 'Content-Length': 2 }
  return postOnce({ target, address: '127.0.0.1', agent, headers, body: '{}', connectMs: undefined })
}

test('an unused connection is closed, and its agent is removed', async () => {
  await using receiver = await rawReceiver({ request: socket => void socket.write(answer(200)) })
  const agents = openAgents(cert, 100)
  const target = targetOf(`https://a.receiver.test:${receiver.port}/`)
  expect(await post(agents, `https://a.receiver.test:${receiver.port}/`).answer).toMatchObject({ status: 200 })
  const agent = agents.for(target, '127.0.0.1')
  expect(agents.for(target, '127.0.0.1')).toBe(agent)
  await until(() => receiver.connections.open === 0)
  // Getting the agent counts as use.
  await until(() => agents.for(target, '127.0.0.1') !== agent, { everyMs: 300 })
  agents.close()
})

test('a connection with a request in progress is not closed as unused', async () => {
  await using receiver = await rawReceiver({
    request: socket => void setTimeout(() => socket.write(answer(200, 'late')), 500),
  })
  const agents = openAgents(cert, 50)
  expect(await post(agents, `https://a.receiver.test:${receiver.port}/`).answer).toMatchObject({ status: 200 })
  expect(receiver.connections.made).toBe(1)
  agents.close()
})

test('each name, port and address has its own agent, with and without TLS', () => {
  const agents = openAgents(undefined)
  const of = (url: string, address = '127.0.0.1') => agents.for(targetOf(url), address)
  const first = of('https://a.example/')
  expect(of('https://A.example./other?path')).toBe(first)
  const others = [
    of('https://b.example/'),
    of('https://a.example:8443/'),
    of('https://a.example/', '::1'),
    of('http://a.example:443/'),
  ]
  expect(new Set([first, ...others]).size).toBe(5)
  agents.close()
})

test('what finishes before its deadline is not aborted, and the rest is aborted in the order of its start', async () => {
  const deadlines = openDeadlines(120)
  const ended: string[] = []
  deadlines.add(() => ended.push('first'))
  deadlines.add(() => ended.push('done')).done()
  deadlines.add(() => ended.push('last'))
  await until(() => ended.length === 2)
  expect(ended).toEqual(['first', 'last'])
  deadlines.add(() => ended.push('closed'))
  deadlines.close()
  expect(ended).toEqual(['first', 'last', 'closed'])
})

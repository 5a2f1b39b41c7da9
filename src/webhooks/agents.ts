import http from 'node:http'
import https from 'node:https'
import tls from 'node:tls'
import type { WebhookTarget } from './target.ts'

/**
 * HTTP agents with keep-alive, one for each (name, port, address): a connection is never used for another host name.
 */
export type Agents = {
  for(target: WebhookTarget, address: string): http.Agent
  /** Closes all connections, including those in use. */
  close(): void
}

/** Most servers close an idle connection after 5 s or later. A request that is sent during the close fails. */
const IDLE_MS = 4_000
const MAX_AGENTS = 5_000

type Entry = { readonly agent: http.Agent; usedAt: number }

export const openAgents = (ca: string | undefined, idleMs = IDLE_MS): Agents => {
  const entries = new Map<string, Entry>()
  // Created once: with more than a hundred root certificates it takes longer than a handshake.
  const secureContext = tls.createSecureContext({ ca })
  const timer = setInterval(() => removeIdle(entries, idleMs), idleMs / 4)
  timer.unref()

  return {
    for: ({ secure, name, port }, address) => {
      const key = `${secure ? '' : '!'}${name}:${port} ${address}`
      let entry = entries.get(key)
      const now = performance.now()
      if (!entry) {
        if (entries.size >= MAX_AGENTS) removeOldest(entries)
        entry = { agent: makeAgent(secure, secureContext, idleMs), usedAt: now }
        entries.set(key, entry)
      } else if (now - entry.usedAt > idleMs) {
        // After a suspension of the process, the sockets' own timers are late too.
        closeIdle(entry.agent)
      }
      entry.usedAt = now
      return entry.agent
    },
    close: () => {
      clearInterval(timer)
      for (const { agent } of entries.values()) agent.destroy()
      entries.clear()
    },
  }
}

const makeAgent = (secure: boolean, secureContext: tls.SecureContext, idleMs: number): http.Agent => {
  // `timeout` closes idle connections only. `proxyEnv` and `rejectUnauthorized` are set explicitly, because environment
  // variables could otherwise configure a proxy or disable the verification of certificates.
  const options = { keepAlive: true, timeout: idleMs, maxFreeSockets: 512, proxyEnv: {} }
  const agent = secure
    ? new https.Agent({ ...options, secureContext, rejectUnauthorized: true })
    : new http.Agent(options)
  // All connections of an agent are interchangeable. Node would compute this key from forty options, twice per request:
  // 8 % of its cost.
  agent.getName = () => 'same'
  return agent
}

const removeIdle = (entries: Map<string, Entry>, idleMs: number) => {
  const now = performance.now()
  for (const [key, { agent, usedAt }] of entries) {
    if (now - usedAt < idleMs || isInUse(agent)) continue
    agent.destroy()
    entries.delete(key)
  }
}

const removeOldest = (entries: Map<string, Entry>) => {
  for (const [key, { agent }] of entries) {
    if (isInUse(agent)) continue
    agent.destroy()
    return void entries.delete(key)
  }
}

const isInUse = ({ sockets, requests }: http.Agent): boolean =>
  Object.keys(sockets).length > 0 || Object.keys(requests).length > 0

const closeIdle = ({ freeSockets }: http.Agent) => {
  for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

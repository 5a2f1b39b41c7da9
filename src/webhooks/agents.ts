import http from 'node:http'
import https from 'node:https'
import tls from 'node:tls'
import type { WebhookTarget } from './target.ts'

/** Kept connections, apart for every (name, port, address): one that was made for a name is used for no other. */
export type Agents = {
  for(target: WebhookTarget, address: string): http.Agent
  /** Ends the connections, also those in use. */
  close(): void
}

/** Most servers end a quiet connection after 5 s or later. A request that crosses that end is a lost attempt. */
const QUIET_MS = 4_000
const MOST_AGENTS = 5_000

type Kept = { readonly agent: http.Agent; usedAt: number }

export const openAgents = (ca: string | undefined, quietMs = QUIET_MS): Agents => {
  const kept = new Map<string, Kept>()
  // Made once: with the hundred and more roots it costs more than a handshake.
  const secureContext = tls.createSecureContext({ ca })
  const timer = setInterval(() => forget(kept, quietMs), quietMs / 4)
  timer.unref()

  return {
    for: ({ secure, name, port }, address) => {
      const key = `${secure ? '' : '!'}${name}:${port} ${address}`
      let entry = kept.get(key)
      const now = performance.now()
      if (!entry) {
        if (kept.size >= MOST_AGENTS) forgetOldest(kept)
        entry = { agent: makeAgent(secure, secureContext, quietMs), usedAt: now }
        kept.set(key, entry)
      } else if (now - entry.usedAt > quietMs) {
        // Their timers may be as late as we are, after a stop of the whole process.
        endQuiet(entry.agent)
      }
      entry.usedAt = now
      return entry.agent
    },
    close: () => {
      clearInterval(timer)
      for (const { agent } of kept.values()) agent.destroy()
      kept.clear()
    },
  }
}

const makeAgent = (secure: boolean, secureContext: tls.SecureContext, quietMs: number): http.Agent => {
  // The timeout ends connections that nobody uses, and only those. As many are kept as were in use.
  // That there is no proxy, and that certificates count, is said aloud: variables could say otherwise for the process.
  const options = { keepAlive: true, timeout: quietMs, maxFreeSockets: 512, proxyEnv: {} }
  const agent = secure
    ? new https.Agent({ ...options, secureContext, rejectUnauthorized: true })
    : new http.Agent(options)
  // All of its connections are alike. Twice for every request it would put that together from forty parts: 8 % of its cost.
  agent.getName = () => 'alike'
  return agent
}

const forget = (kept: Map<string, Kept>, quietMs: number) => {
  const now = performance.now()
  for (const [key, { agent, usedAt }] of kept) {
    if (now - usedAt < quietMs || isInUse(agent)) continue
    agent.destroy()
    kept.delete(key)
  }
}

const forgetOldest = (kept: Map<string, Kept>) => {
  for (const [key, { agent }] of kept) {
    if (isInUse(agent)) continue
    agent.destroy()
    return void kept.delete(key)
  }
}

const isInUse = ({ sockets, requests }: http.Agent): boolean =>
  Object.keys(sockets).length > 0 || Object.keys(requests).length > 0

const endQuiet = ({ freeSockets }: http.Agent) => {
  for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyElysia } from 'elysia'
import { probePort } from '../probe-port.ts'
import { StartError } from '../start-error.ts'
import { listenOnBun } from './bun-listener.ts'
import { listen } from './node-listener.ts'

export type Serving = { stop(): Promise<void> }

/** `idleS`: how long a connection may be kept on which nothing goes in or out. Bun looks every four seconds: more than that. */
export type Place = { readonly host: string; readonly port: number; readonly idleS?: number }

/** Fails as `serve` would, at once, so that a start which cannot succeed has done nothing yet. */
export const requireFree = async ({ host, port }: Place): Promise<void> => {
  await probePort(host, port).catch(error => {
    throw explain(error, host, port)
  })
}

/** Answers requests until stopped; those under way then are finished, within five seconds. */
export const serve = async (app: AnyElysia, { host, port, idleS = 60 }: Place): Promise<Serving> => {
  try {
    // Elysia itself listens on Bun alone. Of its server nobody asks for more than there is here.
    if (!process.versions.bun) app.server = (await listen(app, { host, port, idleS })) as typeof app.server
    else app.server = listenOnBun(app, { host, port, idleS })
  } catch (error) {
    throw explain(error, host, port)
  }
  return {
    stop: async () => {
      const { server } = app
      await Promise.race([server?.stop(), sleep(5_000, undefined, { ref: false })])
      await server?.stop(true)
    },
  }
}

const explain = (error: unknown, host: string, port: number): unknown => {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const reasons = new Map([
    ['EADDRINUSE', `PORT ${port} on ${host} is in use by another program: stop that program, or set PORT to another port`],
    ['EACCES', `PORT ${port} is not allowed for this user: set PORT to a port above 1023`],
    ...NOT_HERE.map(code => [code, `HOST ${host} is not an address of this machine`] as const),
  ])
  const reason = reasons.get(code)
  return reason === undefined ? error : new StartError(reason)
}

/** What runtimes call an address of another machine, and a name that nobody knows, or nobody can be asked about. */
const NOT_HERE = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAGAIN', 'EINVAL']

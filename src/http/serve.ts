import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyElysia } from 'elysia'
import { probePort } from '../process/probe-port.ts'
import { StartError } from '../process/start-error.ts'
import { listenOnBun } from './bun-listener.ts'
import { type ListenOptions, listen } from './node-listener.ts'

export type Serving = { stop(): Promise<void> }

/** Fails as `serve` would, but before the start has changed anything. */
export const requireFree = async ({ host, port }: ListenOptions): Promise<void> => {
  await probePort(host, port).catch(error => {
    throw explain(error, host, port)
  })
}

/** Serves requests until stopped. Requests in progress have five seconds to finish. */
export const serve = async (app: AnyElysia, { host, port, idleS = 60 }: ListenOptions): Promise<Serving> => {
  try {
    // Elysia listens only on Bun. The server object has all that is used of it.
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
    [
      'EADDRINUSE',
      `PORT ${port} on ${host} is in use by another program: stop that program, or set PORT to another port`,
    ],
    ['EACCES', `PORT ${port} is not allowed for this user: set PORT to a port above 1023`],
    ...NOT_HERE.map(code => [code, `HOST ${host} is not an address of this machine`] as const),
  ])
  const reason = reasons.get(code)
  return reason === undefined ? error : new StartError(reason)
}

/** Error codes for an address of another machine, and for a name that cannot be resolved. */
const NOT_HERE = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAGAIN', 'EINVAL']

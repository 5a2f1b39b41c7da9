import type { AnyElysia } from 'elysia'
import type { ListenOptions } from './node-listener.ts'
import { isRewrittenSegment, withoutRoute } from './raw-path.ts'

/**
 * Serves the app with Bun. `Request.url` has only the parsed path. The router of Bun uses the path as it was sent, so it gets
 * one route for each number of segments that the routes of the app have.
 */
export const listenOnBun = (app: AnyElysia, { host, port, idleS }: Required<ListenOptions>) => {
  app.compile()
  const deepest = Math.max(...app.routes.map(({ path }) => path.split('/').length - 1), 1)
  const answer = (request: Bun.BunRequest) => app.fetch(isAsSent(request) ? request : withoutRoute(request))
  const depths = Array.from({ length: deepest }, (_, n) => [pathOf(n + 1), answer] as const)
  return Bun.serve({
    hostname: host,
    port,
    idleTimeout: idleS,
    routes: Object.fromEntries([['/', answer], ...depths]),
    // More segments than any route has, or an empty one.
    fetch: request => app.fetch(withoutRoute(request)),
    // Otherwise, without NODE_ENV, Bun shows information about the process at /bun:info.
    development: false,
    // Otherwise two servers on one port would each get half of the connections without an error.
    reusePort: false,
    // The size is checked where the body is read, so that the response is an error of the API.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  })
}

/** `/:s0/:s1` for two segments. */
const pathOf = (segments: number): string => Array.from({ length: segments }, (_, n) => `/:s${n}`).join('')

const isAsSent = ({ params }: Bun.BunRequest): boolean => {
  const segments: Readonly<Record<string, string>> = params
  for (const name in segments) if (isRewrittenSegment(segments[name] ?? '')) return false
  return true
}

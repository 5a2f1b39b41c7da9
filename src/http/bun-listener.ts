import type { AnyElysia } from 'elysia'
import { isRewrittenSegment, withoutRoute } from './raw-path.ts'
import type { Place } from './serve.ts'

/**
 * The app behind Bun's own server. `Request.url` holds the parsed path alone; the runtime's router goes by the path as
 * it was sent, so it is given one route for each number of segments that the app's routes have.
 */
export const listenOnBun = (app: AnyElysia, { host, port, idleS }: Required<Place>) => {
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
    // Else, without NODE_ENV, Bun itself tells everybody at /bun:info what it runs on.
    development: false,
    // Else two houses on one port would each have half of what arrives, and neither would know.
    reusePort: false,
    // Bodies are counted where they are read, and refused in the interface's own words.
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

/**
 * A URL parser removes dot segments and fragments, and converts backslashes to slashes. A proxy that filters by the path as it
 * was sent would let `/docs/../metrics` through, so such a path matches no route here.
 */
export const isRewritten = (path: string): boolean => /[\\#]|\/(\.|%2e){1,2}(\/|$)/i.test(path)

/** The same for one decoded segment. */
export const isRewrittenSegment = (segment: string): boolean =>
  segment === '.' || segment === '..' || /[\\#\t]/.test(segment)

/** The request with a URL that matches no route. */
export const withoutRoute = ({ method, headers }: Pick<Request, 'method' | 'headers'>): Request =>
  // Not with the constructor, which rejects TRACE.
  ({ method, headers, url: NO_ROUTE, body: null }) satisfies Partial<Request> as unknown as Request

const NO_ROUTE = 'http://localhost//'

/**
 * A URL parser drops dot segments and fragments and turns backslashes into slashes. A proxy that decides by the path as
 * it was sent would let `/docs/../metrics` through as a page, so such a path names no route here.
 */
export const isRewritten = (path: string): boolean => /[\\#]|\/(\.|%2e){1,2}(\/|$)/i.test(path)

/** The same of one segment, decoded. */
export const isRewrittenSegment = (segment: string): boolean =>
  segment === '.' || segment === '..' || /[\\#\t]/.test(segment)

/** The request under an address that no route has. */
export const withoutRoute = ({ method, headers }: Pick<Request, 'method' | 'headers'>): Request =>
  // Not by the constructor, which takes no TRACE.
  ({ method, headers, url: NO_ROUTE, body: null }) satisfies Partial<Request> as unknown as Request

const NO_ROUTE = 'http://localhost//'

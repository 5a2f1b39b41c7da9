/** The headers of every request to an endpoint. */
export const COMMON_HEADERS = { 'Content-Type': 'application/json', 'User-Agent': 'paymachine' } as const

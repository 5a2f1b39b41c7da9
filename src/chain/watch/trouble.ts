/** What is wrong with a chain, in a few words. By its kind: what a node has said may hold its URL, and the key in that. */
export const troubleOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'fault'
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.name
}

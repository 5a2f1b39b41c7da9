import { RpcRefusal } from './rpc.ts'

/**
 * A short description of an error, in fixed words: an error text of a node may contain its URL, and the key in the URL.
 */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return 'fault'
  if (error instanceof RpcRefusal) return error.message
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.name
}

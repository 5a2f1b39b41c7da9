import { RpcRefusal } from './rpc.ts'

/** What is wrong with a chain, in a few words of ours: what a node has said may hold its URL, and the key in that. */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return 'fault'
  if (error instanceof RpcRefusal) return error.message
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.name
}

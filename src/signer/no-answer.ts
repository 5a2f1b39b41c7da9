import { LockedOut } from '../actors/command.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { Refusal } from '../errors.ts'
import { NodeError } from '../sandbox/node-client.ts'

/**
 * Returns `no_answer` if the chain did not answer, refused, or a record is locked: this is retried. Rethrows other
 * errors.
 */
export const noAnswerOrThrow = (error: unknown): 'no_answer' => {
  const isTrouble = [RpcFault, RpcRefusal, NodeError, LockedOut].some(kind => error instanceof kind)
  if (isTrouble || (error instanceof Refusal && error.code === 'chain_unavailable')) return 'no_answer'
  throw error
}

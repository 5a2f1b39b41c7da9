import { LockedOut } from '../actors/command.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { Refusal } from '../errors.ts'
import { NodeTrouble } from '../sandbox/ask.ts'

/** A chain that says nothing, or no, and a record that is locked are tried again later; all else is a fault. */
export const unanswered = (error: unknown): 'no_answer' => {
  const isTrouble = [RpcFault, RpcRefusal, NodeTrouble, LockedOut].some(kind => error instanceof kind)
  if (isTrouble || (error instanceof Refusal && error.code === 'chain_unavailable')) return 'no_answer'
  throw error
}

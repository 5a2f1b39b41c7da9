import { type BatchOptions, isNodeError, type Rpc, type RpcAnswer, type RpcCall, RpcFault } from './rpc.ts'

type Reading<T> = BatchOptions & {
  readonly read: (answers: readonly RpcAnswer[]) => T
  /** Whether the value is complete. Another node is asked for the rest. */
  readonly isComplete: (value: T) => boolean
}

/**
 * Asks the healthiest node, and the others while the answer is incomplete: a node may know a block number before it has
 * the block, and the block before it has the receipts. Returns the first answer where no node has a complete one.
 */
export const readComplete = async <T>(
  rpc: Pick<Rpc, 'read'>,
  calls: readonly RpcCall[],
  { read, isComplete, ...options }: Reading<T>,
): Promise<T> => {
  let first: { readonly value: T } | undefined
  const readOrMiss = (answers: readonly RpcAnswer[]): T => {
    const value = read(answers)
    first ??= { value }
    if (!isComplete(value)) throw new RpcFault('behind', 'incomplete answer')
    return value
  }
  try {
    return await rpc.read(calls, readOrMiss, options)
  } catch (error) {
    if (!first || !isNodeError(error)) throw error
    return first.value
  }
}

import { type BatchOptions, isOfNode, type Rpc, type RpcAnswer, type RpcCall, RpcFault } from './rpc.ts'

type Reading<T> = BatchOptions & {
  readonly read: (answers: readonly RpcAnswer[]) => T
  /** Whether nothing is missing in it that another node may have. */
  readonly isWhole: (value: T) => boolean
}

/**
 * Asks the healthiest node, and the others while something is missing in the answer: a node may know the number of a
 * block before it has the block, and the block before it has the receipts. Returns what the first one has where none
 * has more.
 */
export const readWhole = async <T>(
  rpc: Pick<Rpc, 'read'>,
  calls: readonly RpcCall[],
  { read, isWhole, ...options }: Reading<T>,
): Promise<T> => {
  let first: { readonly value: T } | undefined
  const readOrMiss = (answers: readonly RpcAnswer[]): T => {
    const value = read(answers)
    first ??= { value }
    if (!isWhole(value)) throw new RpcFault('behind', 'something is missing')
    return value
  }
  try {
    return await rpc.read(calls, readOrMiss, options)
  } catch (error) {
    if (!first || !isOfNode(error)) throw error
    return first.value
  }
}

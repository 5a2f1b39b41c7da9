import { agreedOn, type Comparable, type Rpc, type RpcAnswer, type RpcCall, RpcFault } from '../../chain/rpc/rpc.ts'

const TIMEOUT_MS = 60_000

/** The answer on which the nodes agree. Throws if they disagree: then nothing is compared. */
export const getAgreed = async <T extends Comparable>(
  rpc: Rpc,
  calls: readonly RpcCall[],
  pick: (answers: readonly RpcAnswer[]) => T,
): Promise<T> => {
  const agreed = agreedOn(await rpc.agreed(calls, pick, { timeoutMs: TIMEOUT_MS }))
  if (agreed === undefined) throw new RpcFault('garbage', 'the nodes disagree')
  return agreed
}

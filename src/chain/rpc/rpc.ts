export type RpcCall = { readonly method: string; readonly params: readonly unknown[] }

export type RpcAnswer = unknown | RpcRefusal

export type BatchOptions = {
  /** Time limit up to the last byte of the answer. */
  readonly timeoutMs?: number
  /** Size limit of the answer. Nothing beyond it is read. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
  /** There is no other node to ask: a node that limits its callers is asked again until the timeout. */
  readonly waitOnRateLimit?: boolean
}

export type Node = {
  /** The chain id and the position of the node, such as `8453/1`. Never the URL, which may contain a key. */
  readonly name: string
  /** Returns the answers in the order of the calls. A refusal stands at the place of its call; a fault is thrown. */
  batch(calls: readonly RpcCall[], options?: BatchOptions): Promise<readonly RpcAnswer[]>
}

export type Rpc = {
  readonly nodes: readonly Node[]
  /** Asks the healthiest node, and the next one after a fault. */
  batch: Node['batch']
  /**
   * The same, with the answers parsed by `read`. Where `read` throws an RpcFault, the answer is not credible and counts
   * against the node. Where it throws an RpcRefusal, the next node is asked.
   */
  read<T>(calls: readonly RpcCall[], read: (answers: readonly RpcAnswer[]) => T, options?: BatchOptions): Promise<T>
  /**
   * The value that two nodes agree on; as many nodes are asked as it takes. With one node, its value. Throws a fault
   * while fewer than two nodes can be asked. `pick` may throw as in `read`.
   */
  agreed<T extends Comparable>(
    calls: readonly RpcCall[],
    pick: (answers: readonly RpcAnswer[]) => T,
    options?: BatchOptions,
  ): Promise<Agreement<T>>
  /**
   * The values of two nodes, equal or not. With one node, its value. Throws a fault while fewer than two nodes can be
   * asked. `read` may throw as in the method `read`.
   */
  both<T>(
    calls: readonly RpcCall[],
    read: (answers: readonly RpcAnswer[]) => T,
    options?: BatchOptions,
  ): Promise<readonly T[]>
  /**
   * The values of all nodes that can be asked now, asked in parallel. Nodes that fault, refuse or are paused are left
   * out; throws when none is left. `read` may throw as in the method `read`.
   */
  every<T>(
    calls: readonly RpcCall[],
    read: (answers: readonly RpcAnswer[]) => T,
    options?: BatchOptions,
  ): Promise<readonly T[]>
  health(): readonly Health[]
  /** Names for operators, in the order of the nodes. */
  labels(): readonly string[]
  close(): void
}

export type Agreement<T> =
  | { readonly outcome: 'agreed'; readonly value: T; readonly nodes: readonly string[] }
  | { readonly outcome: 'disagreed'; readonly nodes: readonly string[] }

/** The agreed value; undefined where the nodes disagreed. */
export const agreedOn = <T>(agreement: Agreement<T>): T | undefined =>
  agreement.outcome === 'agreed' ? agreement.value : undefined

/**
 * A value that can be compared as JSON. Its fields must always be named in the same order, not copied from an answer.
 */
export type Comparable =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly Comparable[]
  | { readonly [name: string]: Comparable }

export type Health = {
  readonly name: string
  readonly state: 'unknown' | 'healthy' | 'behind' | 'paused'
  /** Blocks behind the other nodes in the last common probe round. */
  readonly lagBlocks: number
  readonly head: number | null
  readonly latencyMs: number | null
  readonly consecutiveFaults: number
  readonly lastFault: FaultReason | null
  readonly pausedUntil: Date | null
}

/** The node refused a call with a JSON-RPC error. Its message is not kept: nodes echo URLs, keys and requests. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal'
  readonly method: string
  readonly code: number

  constructor(method: string, code: number) {
    super(`${method} was refused: ${refusals[code] ?? 'no reason known'} (${code})`)
    this.method = method
    this.code = code
  }
}

/** The answer to a smaller request may succeed: nodes limit the size of an answer, each with a different error. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof RpcRefusal || (error instanceof RpcFault && error.reason === 'too_large')

/** The request may have been too large: a node that is asked for too much may also time out or close the connection. */
export const mayBeTooLarge = (error: unknown): boolean =>
  isTooLarge(error) || (error instanceof RpcFault && !['wrong_chain', 'behind'].includes(error.reason))

/** The node limits the number of requests, whatever their size. */
export const isRateLimit = (error: unknown): boolean => error instanceof RpcFault && error.reason === 'rate_limited'

/** The cause is a node: it was faulty or refused. Anything else is an error of this program. */
export const isNodeError = (error: unknown): error is RpcFault | RpcRefusal =>
  error instanceof RpcRefusal || error instanceof RpcFault

const refusals: Readonly<Record<number, string>> = {
  3: 'execution reverted',
  [-32000]: 'server error',
  [-32001]: 'resource not found',
  [-32005]: 'limit exceeded',
  [-32600]: 'invalid request',
  [-32601]: 'method not found',
  [-32602]: 'invalid parameters',
  [-32603]: 'internal error',
}

export type FaultReason =
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'garbage'
  | 'rate_limited'
  | 'wrong_chain'
  /** The node does not have the requested block. */
  | 'behind'

/** No usable answer. Has no `cause`: the errors of fetch contain the URL. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault'
  readonly reason: FaultReason
  /** The Retry-After of a node that limits its callers. */
  readonly retryAfterMs: number | undefined

  /** `detail` must not contain text of the node. */
  constructor(reason: FaultReason, detail?: string, retryAfterMs?: number) {
    super(`No valid answer from an RPC node: ${reason}${detail ? `, ${detail}` : ''}`)
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

/** The answer to one call. Throws if it is a refusal. */
export const resultOf = (answer: RpcAnswer): unknown => {
  if (answer instanceof RpcRefusal) throw answer
  return answer
}

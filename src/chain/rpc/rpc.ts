export type RpcCall = { readonly method: string; readonly params: readonly unknown[] }

export type RpcAnswer = unknown | RpcRefusal

export type BatchOptions = {
  /** Until the last byte of the answer. */
  readonly timeoutMs?: number
  /** No more than this is ever read, nor kept. */
  readonly mostBytes?: number
  readonly signal?: AbortSignal
  /** Nobody else can be asked: a node that limits its callers is asked again for as long as there is time. */
  readonly patient?: boolean
}

export type Node = {
  /** The chain and which of its nodes. Never the URL, which holds a key. */
  readonly name: string
  /** Answers in the order of the calls, whatever the node's order was. A refusal stands at its place; a fault is thrown. */
  batch(calls: readonly RpcCall[], options?: BatchOptions): Promise<readonly RpcAnswer[]>
}

export type Rpc = {
  readonly nodes: readonly Node[]
  /** Asks the healthiest node, and the next one when it faults. */
  batch: Node['batch']
  /**
   * The same, and what `read` makes of the answers. What it cannot believe (it throws an RpcFault) is
   * held against the node, and what was refused (an RpcRefusal) is asked of the next one too.
   */
  read<T>(calls: readonly RpcCall[], read: (answers: readonly RpcAnswer[]) => T, options?: BatchOptions): Promise<T>
  /**
   * What two nodes say alike, of as many as it takes to find two; of the one where there is one only.
   * Throws a fault while fewer than two can be asked. `pick` throws as `read` does.
   */
  agreed<T extends Plain>(
    calls: readonly RpcCall[],
    pick: (answers: readonly RpcAnswer[]) => T,
    options?: BatchOptions,
  ): Promise<Agreement<T>>
  /**
   * What each of two nodes says, whether or not it is the same, of the one where there is one only. Throws a fault
   * while fewer than two can be asked. `read` throws as that of `read` does.
   */
  both<T>(
    calls: readonly RpcCall[],
    read: (answers: readonly RpcAnswer[]) => T,
    options?: BatchOptions,
  ): Promise<readonly T[]>
  /**
   * What every node says that can be asked now, asked in parallel. Nodes that fault, refuse or rest are left out;
   * throws when none is left. `read` throws as that of `read` does.
   */
  every<T>(
    calls: readonly RpcCall[],
    read: (answers: readonly RpcAnswer[]) => T,
    options?: BatchOptions,
  ): Promise<readonly T[]>
  health(): readonly Health[]
  close(): void
}

export type Agreement<T> =
  | { readonly outcome: 'agreed'; readonly value: T; readonly nodes: readonly string[] }
  | { readonly outcome: 'disagreed'; readonly nodes: readonly string[] }

/** What two nodes agreed on, if they did. */
export const agreedOn = <T>(agreement: Agreement<T>): T | undefined =>
  agreement.outcome === 'agreed' ? agreement.value : undefined

/** What can be compared. Its fields must be named in the same order every time, not copied from an answer. */
export type Plain = string | number | bigint | boolean | null | readonly Plain[] | { readonly [name: string]: Plain }

export type Health = {
  readonly name: string
  readonly state: 'unasked' | 'healthy' | 'behind' | 'resting'
  /** Blocks behind the others when they were last asked together. */
  readonly lagBlocks: number
  readonly head: number | null
  readonly latencyMs: number | null
  readonly consecutiveFaults: number
  readonly lastFault: FaultReason | null
  readonly restsUntil: Date | null
}

/**
 * The node understood and said no. What it said is not kept: nodes echo URLs, keys and requests.
 */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal'
  readonly method: string
  readonly code: number

  constructor(method: string, code: number) {
    super(`${method} was refused: ${refusals[code] ?? 'for a reason of the node'} (${code})`)
    this.method = method
    this.code = code
  }
}

/** A question that a smaller one may be answered instead of: nodes bound what they tell at once, and each says so in its own way. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof RpcRefusal || (error instanceof RpcFault && error.reason === 'too_large')

/** What may have been: a node that is asked for too much falls silent as well, or breaks off. */
export const mayBeTooMuch = (error: unknown): boolean =>
  isTooLarge(error) || (error instanceof RpcFault && !['wrong_chain', 'behind'].includes(error.reason))

/** The node takes fewer questions than it was asked, however wide each of them is. */
export const isRateLimit = (error: unknown): boolean => error instanceof RpcFault && error.reason === 'rate_limited'

/** Nobody of ours is at fault: no node could be believed, or it said no. */
export const isOfNode = (error: unknown): error is RpcFault | RpcRefusal =>
  error instanceof RpcRefusal || error instanceof RpcFault

const refusals: Readonly<Record<number, string>> = {
  3: 'the call reverted',
  [-32000]: 'the node cannot',
  [-32001]: 'there is no such thing',
  [-32005]: 'a limit is exceeded',
  [-32600]: 'no valid request',
  [-32601]: 'no such method',
  [-32602]: 'no valid parameters',
  [-32603]: 'an error inside the node',
}

export type FaultReason =
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'garbage'
  | 'rate_limited'
  | 'wrong_chain'
  /** It has not seen the block it was asked about. */
  | 'behind'

/** No answer that can be believed. Has no cause: the errors of fetch hold the URL. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault'
  readonly reason: FaultReason
  /** What a node that limits its callers asked for. */
  readonly retryAfterMs: number | undefined

  /** The detail is in our words alone. */
  constructor(reason: FaultReason, detail?: string, retryAfterMs?: number) {
    super(`No valid answer of an RPC node: ${reason}${detail ? `, ${detail}` : ''}`)
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

/** What was answered at one place. Throws the refusal that stands there. */
export const answered = (answer: RpcAnswer): unknown => {
  if (answer instanceof RpcRefusal) throw answer
  return answer
}

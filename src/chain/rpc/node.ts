import { setTimeout as sleep } from 'node:timers/promises'
import { openBatchSizer } from './batch-sizer.ts'
import { type Posted, post, targetOf } from './post.ts'
import { openRetryPolicy } from './retry-policy.ts'
import { type BatchOptions, type Node, type RpcAnswer, type RpcCall, RpcFault, RpcRefusal } from './rpc.ts'

export type RpcNodeOptions = {
  readonly name: string
  readonly url: string
  /** Undefined: no proxy. Proxy variables of the environment are ignored. */
  readonly proxy?: string | undefined
  readonly closed: AbortSignal
  readonly now: () => number
}

export const defaultTimeoutMs = 10_000
/** 5,000 logs are 3 MB; a busy block with all its transactions is 0.4 MB. */
export const defaultMaxBytes = 16 * 1024 * 1024

/** Opens a client of one JSON-RPC node. */
export const openNode = ({ name, url, proxy, closed, now }: RpcNodeOptions): Node => {
  const target = targetOf(url, proxy)
  const sizer = openBatchSizer()
  // Ids continue from batch to batch, so that an answer to another request is recognized.
  let nextId = 1

  const ask = async (
    calls: readonly RpcCall[],
    options: Required<Pick<BatchOptions, 'timeoutMs' | 'maxBytes'>>,
    signal?: AbortSignal,
  ) => {
    const first = nextId
    nextId += calls.length
    const body = JSON.stringify(
      calls.map(({ method, params }, at) => ({ jsonrpc: '2.0', id: first + at, method, params })),
    )
    try {
      return parseResponse(await post(target, body, { ...options, signal, closed, now }), first, calls)
    } catch (error) {
      if (!(error instanceof RpcFault) || error.reason !== 'rate_limited') throw error
      return { answers: calls.map(() => error), bytes: 0 }
    }
  }

  /** Ends immediately when the request is aborted. */
  const pause = (ms: number, signal = closed) =>
    sleep(ms, undefined, { signal: AbortSignal.any([signal, closed]) }).catch(() => {})

  const batch: Node['batch'] = async (calls, options = {}) => {
    const { timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes, signal, waitOnRateLimit = false } = options
    const deadline = performance.now() + timeoutMs
    const retries = openRetryPolicy({ deadline, waitOnRateLimit })
    const answers: RpcAnswer[] = new Array(calls.length)
    // `eth_getLogs` goes first. Whether the calls after it succeed shows why it was refused.
    let left: readonly number[] = [...calls.keys()].sort(
      (a, b) => Number(isForLogs(calls[b])) - Number(isForLogs(calls[a])),
    )
    let bytes = 0
    let hasAnswered = false
    /** Whether the node refuses even the cheapest call now. */
    const isLimiting = async (limits: { readonly timeoutMs: number; readonly maxBytes: number }) => {
      const asked = await ask([HEAD_CALL], limits, signal)
      return asked === 'too_many' || isLimit(asked.answers[0])
    }
    while (left.length > 0) {
      const part = left.slice(0, sizer.sizeFor(left.length))
      const asked = part.flatMap(at => calls[at] ?? [])
      const limits = { timeoutMs: deadline - performance.now(), maxBytes: maxBytes - bytes }
      const result = await ask(asked, limits, signal)
      if (result === 'too_many') {
        sizer.refused(part.length)
        continue
      }
      bytes += result.bytes
      for (const [n, at] of part.entries()) answers[at] = result.answers[n]

      let limited = part.filter(
        (at, n) =>
          isLimit(answers[at]) && !(isForLogs(calls[at]) && part.slice(n + 1).some(each => !isLimit(answers[each]))),
      )
      // With log calls alone, the refusal may mean too many logs or too many requests: one more call decides.
      const isAmbiguous =
        limited.length > 0 && part.every(at => isForLogs(calls[at]) && answers[at] instanceof RpcRefusal)
      if (isAmbiguous && !(await isLimiting({ timeoutMs: deadline - performance.now(), maxBytes }))) limited = []
      const answered = part.length - limited.length
      hasAnswered ||= answered > 0
      left = limited.concat(left.slice(part.length))
      if (answered > 0) retries.recordAnswer()
      if (limited.length === 0) {
        sizer.succeeded(part.length)
        continue
      }
      // The node took part of the batch and refused the rest: the batch was too long.
      if (answered > 0) sizer.refused(2 * answered)
      else if (part.length > 1 && retries.isUnanswered) sizer.refused(part.length)

      const refusal = answers[limited[0] ?? 0]
      const pauseMs = retries.pauseFor(refusal)
      if (pauseMs === undefined) {
        if (refusal instanceof RpcFault) throw refusal
        if (!hasAnswered) throw new RpcFault('rate_limited', `code ${LIMIT_EXCEEDED}`)
        // The node would refuse the remaining calls too.
        for (const at of left) answers[at] = refusal
        break
      }
      await pause(pauseMs, signal)
    }
    return answers
  }

  return { name, batch }
}

/** Many nodes refuse a whole batch when it has too many calls, each with a different error. */
const parseResponse = ({ ok, status, json, bytes }: Posted, first: number, calls: readonly RpcCall[]) => {
  if (Array.isArray(json)) return { answers: match(json, first, calls), bytes }
  const refusesAll = status === 413 || (isObject(json) && isObject(json.error))
  if (refusesAll && calls.length > 1) {
    const refusal = isObject(json) && refusalOf('', json.error)
    if (refusal instanceof RpcFault) throw refusal
    if (isLimit(refusal)) throw new RpcFault('rate_limited', `code ${LIMIT_EXCEEDED}`)
    return 'too_many'
  }
  const [call] = calls
  if (call && isObject(json) && isObject(json.error)) return { answers: [refusalOf(call.method, json.error)], bytes }
  if (!ok) throw new RpcFault('unreachable', `HTTP ${status}`)
  throw new RpcFault('garbage', json === undefined ? 'not JSON' : 'not a batch')
}

/** Matches answers to calls by id. By position, one missing entry would give every later call the answer of another. */
const match = (entries: readonly unknown[], first: number, calls: readonly RpcCall[]): readonly RpcAnswer[] => {
  const answers: RpcAnswer[] = new Array(calls.length)
  let missing = calls.length
  for (const entry of entries) {
    if (!isObject(entry) || typeof entry.id !== 'number') throw new RpcFault('garbage', 'an answer without an id')
    const at = entry.id - first
    const call = calls[at]
    if (!call) throw new RpcFault('garbage', 'an unknown id')
    if (answers[at] !== undefined) throw new RpcFault('garbage', 'a duplicate id')
    answers[at] = answerOf(entry, call.method)
    missing--
  }
  if (missing > 0) throw new RpcFault('garbage', 'a missing id')
  return answers
}

const answerOf = (entry: Readonly<Record<string, unknown>>, method: string): RpcAnswer => {
  if (entry.error !== undefined && entry.error !== null) return refusalOf(method, entry.error)
  if (entry.result === undefined) throw new RpcFault('garbage', 'neither a result nor an error')
  return entry.result
}

/** Error codes by which some nodes report a rate limit under HTTP 200. */
const LIMITED: readonly number[] = [429, -32007, -32016]

const refusalOf = (method: string, error: unknown): RpcRefusal | RpcFault => {
  const code = codeOf(error)
  return LIMITED.includes(code) ? new RpcFault('rate_limited', `code ${code}`) : new RpcRefusal(method, code)
}

/** Nodes use this code for a rate limit and also for too many logs. */
const LIMIT_EXCEEDED = -32005

const isLimit = (answer: RpcAnswer): boolean =>
  answer instanceof RpcFault || (answer instanceof RpcRefusal && answer.code === LIMIT_EXCEEDED)

const isForLogs = (call: RpcCall | undefined): boolean => call?.method === 'eth_getLogs'

const HEAD_CALL: RpcCall = { method: 'eth_blockNumber', params: [] }

const codeOf = (error: unknown): number => {
  if (!isObject(error) || !Number.isSafeInteger(error.code)) throw new RpcFault('garbage', 'an error without a code')
  return Number(error.code)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

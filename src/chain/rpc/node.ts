import { setTimeout as sleep } from 'node:timers/promises'
import { openRetryPolicy } from './patience.ts'
import { type Posted, post, targetOf } from './post.ts'
import { type BatchOptions, type Node, type RpcAnswer, type RpcCall, RpcFault, RpcRefusal } from './rpc.ts'
import { openStride } from './stride.ts'

export type RpcNodeOptions = {
  readonly name: string
  readonly url: string
  /** Undefined: none, whatever the environment says. */
  readonly proxy?: string | undefined
  readonly closed: AbortSignal
  readonly now: () => number
}

export const defaultTimeoutMs = 10_000
/** 5,000 logs are 3 MB, a busy block with all its transactions 0.4 MB. */
export const defaultMostBytes = 16 * 1024 * 1024

/** One JSON-RPC node. */
export const openNode = ({ name, url, proxy, closed, now }: RpcNodeOptions): Node => {
  const target = targetOf(url, proxy)
  const stride = openStride()
  // Goes on from batch to batch, so that the answer to another request is seen to be one.
  let nextId = 1

  const ask = async (
    calls: readonly RpcCall[],
    options: Required<Pick<BatchOptions, 'timeoutMs' | 'mostBytes'>>,
    signal?: AbortSignal,
  ) => {
    const first = nextId
    nextId += calls.length
    const body = JSON.stringify(
      calls.map(({ method, params }, at) => ({ jsonrpc: '2.0', id: first + at, method, params })),
    )
    try {
      return judge(await post(target, body, { ...options, signal, closed, now }), first, calls)
    } catch (error) {
      if (!(error instanceof RpcFault) || error.reason !== 'rate_limited') throw error
      return { answers: calls.map(() => error), bytes: 0 }
    }
  }

  /** Ends at once when nobody wants the answer any more. */
  const pause = (ms: number, signal = closed) =>
    sleep(ms, undefined, { signal: AbortSignal.any([signal, closed]) }).catch(() => {})

  const batch: Node['batch'] = async (calls, options = {}) => {
    const { timeoutMs = defaultTimeoutMs, mostBytes = defaultMostBytes, signal, patient = false } = options
    const deadline = performance.now() + timeoutMs
    const patience = openRetryPolicy({ deadline, patient })
    const answers: RpcAnswer[] = new Array(calls.length)
    // Logs come first: what is answered behind them shows why they were refused.
    let left: readonly number[] = [...calls.keys()].sort(
      (a, b) => Number(isForLogs(calls[b])) - Number(isForLogs(calls[a])),
    )
    let bytes = 0
    let hasAnswered = false
    /** Whether the node takes no call now. */
    const isLimiting = async (limits: { readonly timeoutMs: number; readonly mostBytes: number }) => {
      const asked = await ask([HEAD], limits, signal)
      return asked === 'too_many' || isLimit(asked.answers[0])
    }
    while (left.length > 0) {
      const part = left.slice(0, stride.of(left.length))
      const asked = part.flatMap(at => calls[at] ?? [])
      const limits = { timeoutMs: deadline - performance.now(), mostBytes: mostBytes - bytes }
      const told = await ask(asked, limits, signal)
      if (told === 'too_many') {
        stride.refused(part.length)
        continue
      }
      bytes += told.bytes
      for (const [n, at] of part.entries()) answers[at] = told.answers[n]

      let limited = part.filter(
        (at, n) =>
          isLimit(answers[at]) && !(isForLogs(calls[at]) && part.slice(n + 1).some(each => !isLimit(answers[each]))),
      )
      // Nothing else was asked that would show whether there are too many logs or too many questions.
      const isUnclear =
        limited.length > 0 && part.every(at => isForLogs(calls[at]) && answers[at] instanceof RpcRefusal)
      if (isUnclear && !(await isLimiting({ timeoutMs: deadline - performance.now(), mostBytes }))) limited = []
      const answered = part.length - limited.length
      hasAnswered ||= answered > 0
      left = limited.concat(left.slice(part.length))
      if (answered > 0) patience.renew()
      if (limited.length === 0) {
        stride.went(part.length)
        continue
      }
      // Behind what it has just taken it was only asked too soon.
      if (answered > 0) stride.refused(2 * answered)
      else if (part.length > 1 && patience.isSilent) stride.refused(part.length)

      const no = answers[limited[0] ?? 0]
      const pauseMs = patience.pauseFor(no)
      if (pauseMs === undefined) {
        if (no instanceof RpcFault) throw no
        if (!hasAnswered) throw new RpcFault('rate_limited', `code ${LIMIT_EXCEEDED}`)
        // It would not tell of the others either.
        for (const at of left) answers[at] = no
        break
      }
      await pause(pauseMs, signal)
    }
    return answers
  }

  return { name, batch }
}

/** Many nodes refuse a batch as a whole when it has too many calls, and none says so in the same way. */
const judge = ({ ok, status, json, bytes }: Posted, first: number, calls: readonly RpcCall[]) => {
  if (Array.isArray(json)) return { answers: match(json, first, calls), bytes }
  const refusesAll = status === 413 || (isObject(json) && isObject(json.error))
  if (refusesAll && calls.length > 1) {
    const no = isObject(json) && refusalOf('', json.error)
    if (no instanceof RpcFault) throw no
    if (isLimit(no)) throw new RpcFault('rate_limited', `code ${LIMIT_EXCEEDED}`)
    return 'too_many'
  }
  const [call] = calls
  if (call && isObject(json) && isObject(json.error)) return { answers: [refusalOf(call.method, json.error)], bytes }
  if (!ok) throw new RpcFault('unreachable', `HTTP ${status}`)
  throw new RpcFault('garbage', json === undefined ? 'no JSON' : 'no batch')
}

/** Each call has the answer with its id: by place, one entry lost would give every later call the answer of another. */
const match = (entries: readonly unknown[], first: number, calls: readonly RpcCall[]): readonly RpcAnswer[] => {
  const answers: RpcAnswer[] = new Array(calls.length)
  let missing = calls.length
  for (const entry of entries) {
    if (!isObject(entry) || typeof entry.id !== 'number') throw new RpcFault('garbage', 'an answer without an id')
    const at = entry.id - first
    const call = calls[at]
    if (!call) throw new RpcFault('garbage', 'an id that was not asked')
    if (answers[at] !== undefined) throw new RpcFault('garbage', 'an id twice')
    answers[at] = answerOf(entry, call.method)
    missing--
  }
  if (missing > 0) throw new RpcFault('garbage', 'an id is missing')
  return answers
}

const answerOf = (entry: Readonly<Record<string, unknown>>, method: string): RpcAnswer => {
  if (entry.error !== undefined && entry.error !== null) return refusalOf(method, entry.error)
  if (entry.result === undefined) throw new RpcFault('garbage', 'neither a result nor an error')
  return entry.result
}

/** By these some nodes limit their callers under HTTP 200. */
const LIMITED: readonly number[] = [429, -32007, -32016]

const refusalOf = (method: string, error: unknown): RpcRefusal | RpcFault => {
  const code = codeOf(error)
  return LIMITED.includes(code) ? new RpcFault('rate_limited', `code ${code}`) : new RpcRefusal(method, code)
}

/** A node limits its callers by this, and refuses too many logs by it as well. */
const LIMIT_EXCEEDED = -32005

const isLimit = (answer: RpcAnswer): boolean =>
  answer instanceof RpcFault || (answer instanceof RpcRefusal && answer.code === LIMIT_EXCEEDED)

const isForLogs = (call: RpcCall | undefined): boolean => call?.method === 'eth_getLogs'

const HEAD: RpcCall = { method: 'eth_blockNumber', params: [] }

const codeOf = (error: unknown): number => {
  if (!isObject(error) || !Number.isSafeInteger(error.code)) throw new RpcFault('garbage', 'an error without a code')
  return Number(error.code)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

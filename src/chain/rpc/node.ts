import { setTimeout as sleep } from 'node:timers/promises'
import { type Posted, post, targetOf } from './post.ts'
import { type Answer, type BatchOptions, type Call, type Node, RpcFault, RpcRefusal } from './rpc.ts'
import { openStride } from './stride.ts'

export type NodeOptions = {
  readonly name: string
  readonly url: string
  readonly closed: AbortSignal
  readonly now: () => number
}

export const defaultTimeoutMs = 10_000
/** 5,000 logs are 3 MB, a busy block with all its transactions 0.4 MB. */
export const defaultMostBytes = 16 * 1024 * 1024

/** After so long a node that limits its callers takes something again, if it does not say when. */
const LIMITED_MS = 500

/** One JSON-RPC node. */
export const openNode = ({ name, url, closed, now }: NodeOptions): Node => {
  const target = targetOf(url)
  const stride = openStride()
  // Goes on from batch to batch, so that the answer to another request is seen to be one.
  let nextId = 1

  const ask = async (
    calls: readonly Call[],
    options: Required<Pick<BatchOptions, 'timeoutMs' | 'mostBytes'>>,
    signal?: AbortSignal,
  ) => {
    const first = nextId
    nextId += calls.length
    const body = JSON.stringify(
      calls.map(({ method, params }, at) => ({ jsonrpc: '2.0', id: first + at, method, params })),
    )
    return judge(await post(target, body, { ...options, signal, closed, now }), first, calls)
  }

  /** Ends at once when nobody wants the answer any more. */
  const pause = (ms: number, signal = closed) =>
    sleep(ms, undefined, { signal: AbortSignal.any([signal, closed]) }).catch(() => {})

  const batch: Node['batch'] = async (calls, options = {}) => {
    const { timeoutMs = defaultTimeoutMs, mostBytes = defaultMostBytes, signal, patient = false } = options
    const deadline = performance.now() + timeoutMs
    let answers: readonly Answer[] = []
    let bytes = 0
    let waits = 0
    while (answers.length < calls.length) {
      const part = calls.slice(answers.length, answers.length + stride.of(calls.length - answers.length))
      const left = { timeoutMs: deadline - performance.now(), mostBytes: mostBytes - bytes }
      const got = await ask(part, left, signal).catch(unlessLimited)
      if (got instanceof RpcFault) {
        // Behind what it has just taken it was only asked too soon.
        const isTooMany = answers.length === 0 || waits > 0
        if (isTooMany && part.length > 1) stride.refused(part.length)
        const pauseMs = Math.max(got.retryAfterMs ?? 0, LIMITED_MS * 2 ** waits++)
        const isWorth = patient || answers.length > 0
        if (!isWorth || performance.now() + pauseMs > deadline) throw got
        await pause(pauseMs, signal)
        continue
      }
      waits = 0
      if (got === 'too_many') {
        stride.refused(part.length)
        continue
      }
      stride.went(part.length)
      answers = answers.length === 0 ? got.answers : answers.concat(got.answers)
      bytes += got.bytes
    }
    return answers
  }

  return { name, batch }
}

const unlessLimited = (error: unknown): RpcFault => {
  if (error instanceof RpcFault && error.reason === 'rate_limited') return error
  throw error
}

/** Many nodes refuse a batch as a whole when it has too many calls, and none says so in the same way. */
const judge = ({ ok, status, json, bytes }: Posted, first: number, calls: readonly Call[]) => {
  if (Array.isArray(json)) return { answers: match(json, first, calls), bytes }
  const refusesAll = status === 413 || (isObject(json) && isObject(json.error))
  if (refusesAll && calls.length > 1) {
    if (isObject(json)) codeOf(json.error)
    return 'too_many'
  }
  const [call] = calls
  if (call && isObject(json) && isObject(json.error))
    return { answers: [new RpcRefusal(call.method, codeOf(json.error))], bytes }
  if (!ok) throw new RpcFault('unreachable', `HTTP ${status}`)
  throw new RpcFault('garbage', json === undefined ? 'no JSON' : 'no batch')
}

/** Each call has the answer with its id: by place, one entry lost would give every later call the answer of another. */
const match = (entries: readonly unknown[], first: number, calls: readonly Call[]): readonly Answer[] => {
  const answers: Answer[] = new Array(calls.length)
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

const answerOf = (entry: Readonly<Record<string, unknown>>, method: string): Answer => {
  if (entry.error !== undefined && entry.error !== null) return new RpcRefusal(method, codeOf(entry.error))
  if (entry.result === undefined) throw new RpcFault('garbage', 'neither a result nor an error')
  return entry.result
}

/** By these some nodes limit their callers under HTTP 200: to halve the question would be no answer to that. */
const LIMITED: readonly unknown[] = [429, -32007, -32016]

const codeOf = (error: unknown): number => {
  if (!isObject(error) || !Number.isSafeInteger(error.code)) throw new RpcFault('garbage', 'an error without a code')
  if (LIMITED.includes(error.code)) throw new RpcFault('rate_limited', `code ${error.code}`)
  return Number(error.code)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

import http from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { type } from 'arktype'
import { lazy } from '../lazy.ts'

/** A node said no, or nothing that can be used. Neither its words nor its address are told: that may hold a key. */
export class NodeTrouble extends Error {
  override readonly name = 'NodeTrouble'
  readonly method: string
  /** The node's own number, when it said no. */
  readonly code: number | undefined

  constructor(method: string, code?: number) {
    super(`${method}: ${code === undefined ? 'no usable answer' : `refused (${code})`}`)
    this.method = method
    this.code = code
  }
}

/** Asks a node one thing. It is the node of the sandbox, so its answers are believed. */
export const ask = async (url: string, method: string, ...params: readonly unknown[]): Promise<unknown> => {
  let answer: unknown
  try {
    answer = JSON.parse(await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
  } catch {
    throw new NodeTrouble(method)
  }
  if (!isAnswer().allows(answer)) throw new NodeTrouble(method)
  if ('error' in answer) throw new NodeTrouble(method, answer.error.code)
  return answer.result
}

/** Not by `fetch`, which sends it to the proxy that a variable of the environment names. */
const post = async (url: string, body: string): Promise<string> => {
  const { request } = url.startsWith('https:') ? https : http
  const sending = request(url, {
    method: 'POST',
    // A connection that is kept may be one to a node that has been started anew since.
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    signal: AbortSignal.timeout(10_000),
  })
  const answering = new Promise<http.IncomingMessage>((resolve, reject) => {
    sending.on('response', resolve).on('error', reject)
  })
  sending.end(body)
  return text(await answering)
}

const isAnswer = lazy(() => type({ result: 'unknown' }).or({ error: { code: 'number' } }))

export type SandboxHead = { readonly number: number; readonly hash: string }

export const headOf = async (url: string, block = 'latest'): Promise<SandboxHead> => {
  const method = 'eth_getBlockByNumber'
  const answer = await ask(url, method, block, false)
  if (!isBlock().allows(answer)) throw new NodeTrouble(method)
  return { number: Number(answer.number), hash: answer.hash }
}

const isBlock = lazy(() => type({ number: '/^0x[0-9a-f]+$/', hash: '/^0x[0-9a-f]{64}$/' }))

import http from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { type } from 'arktype'
import { lazy } from '../lazy.ts'

/** A node refused a call or gave no usable answer. Contains neither its message nor its URL, which may hold a key. */
export class NodeError extends Error {
  override readonly name = 'NodeTrouble'
  readonly method: string
  /** The JSON-RPC error code, if the node refused the call. */
  readonly code: number | undefined

  constructor(method: string, code?: number) {
    super(`${method}: ${code === undefined ? 'no usable answer' : `refused (${code})`}`)
    this.method = method
    this.code = code
  }
}

/** Calls a method of the sandbox's node. Its answers are trusted. */
export const callNode = async (url: string, method: string, ...params: readonly unknown[]): Promise<unknown> => {
  let answer: unknown
  try {
    answer = JSON.parse(await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
  } catch {
    throw new NodeError(method)
  }
  if (!isAnswer().allows(answer)) throw new NodeError(method)
  if ('error' in answer) throw new NodeError(method, answer.error.code)
  return answer.result
}

/** Not with `fetch`, which would use the proxy in an environment variable. */
const post = async (url: string, body: string): Promise<string> => {
  const { request } = url.startsWith('https:') ? https : http
  const sending = request(url, {
    method: 'POST',
    // Without keep-alive: a kept connection may belong to a node that was restarted.
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

export const getHead = async (url: string, block = 'latest'): Promise<SandboxHead> => {
  const method = 'eth_getBlockByNumber'
  const answer = await callNode(url, method, block, false)
  if (!isBlock().allows(answer)) throw new NodeError(method)
  return { number: Number(answer.number), hash: answer.hash }
}

const isBlock = lazy(() => type({ number: '/^0x[0-9a-f]+$/', hash: '/^0x[0-9a-f]{64}$/' }))

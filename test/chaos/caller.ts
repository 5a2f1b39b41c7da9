import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf } from '../harness/random.ts'
import type { Scene } from './scene.ts'

export type ApiResponse = { readonly status: number; readonly body: Record<string, unknown>; readonly text: string }

export type RequestOptions = {
  readonly bearer?: string
  /** A POST with a key is repeated until it gets a response. */
  readonly idempotencyKey?: string
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
}

/** Statuses after which a request is repeated. */
const RETRY_STATUSES = new Set([408, 429, 503])

/**
 * A client as a merchant's server should be: it calls any of the processes, uses a timeout, and repeats requests without
 * a response. It records responses that no client should ever see.
 */
export const openCaller = (scene: Scene, random: () => number, isOver: () => boolean) => {
  const faults: string[] = []
  let requests = 0
  let repeated = 0

  const once = async (
    method: string,
    path: string,
    { bearer, idempotencyKey, body, form }: RequestOptions,
  ): Promise<ApiResponse> => {
    requests++
    const { url } = oneOf(scene.instances, random)
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(5_000),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form && { body: new URLSearchParams(form) }),
    })
    const text = await answer.text()
    if (answer.status >= 500 && answer.status !== 503) faults.push(`${method} ${path}: ${answer.status} ${text}`)
    return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }

  /** Undefined when there was no response by the end of the run. */
  const ask = async (method: string, path: string, options: RequestOptions = {}): Promise<ApiResponse | undefined> => {
    for (;;) {
      const response = await once(method, path, options).catch(() => undefined)
      const inProgress = response?.status === 409 && codeOf(response) === 'idempotency_key_in_use'
      if (response && !RETRY_STATUSES.has(response.status) && !inProgress) return response
      if (isOver()) return undefined
      repeated++
      await sleep(50 + random() * 200)
    }
  }

  return { ask, faults, counts: () => ({ requests, repeated }) }
}

export type Caller = ReturnType<typeof openCaller>

export const codeOf = ({ body }: ApiResponse): string | undefined => (body.error as { code?: string } | undefined)?.code

import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf } from '../harness/random.ts'
import type { Scene } from './scene.ts'

export type Said = { readonly status: number; readonly body: Record<string, unknown>; readonly text: string }

export type Asking = {
  readonly bearer?: string
  /** With one a POST is sent again until it is answered. */
  readonly idempotencyKey?: string
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
}

/** What may be asked again: nobody has answered, or somebody has said that it is worth it. */
const LATER = new Set([408, 429, 503])

/**
 * A client as a merchant's server should be one: it asks any of the processes, has some patience, and asks again where
 * nothing was answered. Notes whatever no client should ever see.
 */
export const openCaller = (scene: Scene, random: () => number, isOver: () => boolean) => {
  const faults: string[] = []
  let asked = 0
  let again = 0

  const once = async (method: string, path: string, { bearer, idempotencyKey, body, form }: Asking): Promise<Said> => {
    asked++
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

  /** Undefined when nobody has answered by the end. */
  const ask = async (method: string, path: string, asking: Asking = {}): Promise<Said | undefined> => {
    for (;;) {
      const said = await once(method, path, asking).catch(() => undefined)
      const inProgress = said?.status === 409 && codeOf(said) === 'idempotency_key_in_use'
      if (said && !LATER.has(said.status) && !inProgress) return said
      if (isOver()) return undefined
      again++
      await sleep(50 + random() * 200)
    }
  }

  return { ask, faults, counts: () => ({ asked, again }) }
}

export type Caller = ReturnType<typeof openCaller>

export const codeOf = ({ body }: Said): string | undefined => (body.error as { code?: string } | undefined)?.code

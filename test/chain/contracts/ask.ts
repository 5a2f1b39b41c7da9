import type { Ask } from '../../../src/chain/collect/ask.ts'

/** A node of a test that answers truly. */
export const askAt =
  (url: string): Ask =>
  async calls => {
    const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answers = (await response.json()) as { id: number; result?: unknown; error?: { message: string } }[]
    return answers
      .toSorted((a, b) => a.id - b.id)
      .map(({ result, error }) => (error ? new Error(error.message) : result))
  }

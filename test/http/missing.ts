import { expect } from 'bun:test'
import type { Called } from '../harness/api.ts'

/** Ids for a path that name nothing, most of them similar to this one. */
export const namesNothing = (id: string): readonly string[] => {
  const [prefix, isPrefixed] = [id.split('_')[0] ?? '', id.includes('_')]
  const shaped = isPrefixed
    ? [`${prefix}_`, `${prefix}_1`, `${prefix}_%27`, id.replace(prefix, prefix === 'pay' ? 're' : 'pay')]
    : [id.replaceAll('-', ''), `{${id}}`, 'pay_1']
  const spelled = [id.slice(0, -1), `${id}0`, `x${id}`, `${id}%0a`, id.toUpperCase()]
  // The first has the form of an id that was never given.
  return [`${id.slice(0, -4)}0000`, ...spelled, ...shaped, 'x', '%00', '%ZZ', '%ff', '%27']
}

/** Every id gets the same 404, which is returned: the response does not reveal which of them belong to others. */
export const expectMissing = async (ask: (id: string) => Promise<Called>, ids: readonly string[]): Promise<string> => {
  let responseText = ''
  for (const id of ids) {
    const answer = await ask(id)
    expect([id, answer.status, answer.text]).toEqual([id, 404, expect.stringContaining('"resource_not_found"')])
    responseText ||= withoutRequestId(answer)
    expect([id, withoutRequestId(answer)]).toEqual([id, responseText])
  }
  return responseText
}

/** A response without the parts that are unique to its request. */
const withoutRequestId = ({ status, headers, text }: Called): string => {
  const kept = [...headers].filter(([name]) => !OF_ONE_REQUEST.includes(name))
  return `${status} ${JSON.stringify(kept)}\n${text.replaceAll(headers.get('request-id') ?? '', 'ID')}`
}

const OF_ONE_REQUEST = ['date', 'request-id', 'ratelimit']

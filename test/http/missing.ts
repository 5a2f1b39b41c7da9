import { expect } from 'bun:test'
import type { Called } from '../harness/api.ts'

/** Ids for a path that name nothing, though most of them look much like this one. */
export const namesNothing = (id: string): readonly string[] => {
  const [prefix, isPrefixed] = [id.split('_')[0] ?? '', id.includes('_')]
  const shaped = isPrefixed
    ? [`${prefix}_`, `${prefix}_1`, `${prefix}_%27`, id.replace(prefix, prefix === 'pay' ? 're' : 'pay')]
    : [id.replaceAll('-', ''), `{${id}}`, 'pay_1']
  const spelled = [id.slice(0, -1), `${id}0`, `x${id}`, `${id}%0a`, id.toUpperCase()]
  // The first might have been one, and never was.
  return [`${id.slice(0, -4)}0000`, ...spelled, ...shaped, 'x', '%00', '%ZZ', '%ff', '%27']
}

/** Every one of these is answered 404 and in the same words, which it returns: nobody learns which of them is another's. */
export const expectMissing = async (ask: (id: string) => Promise<Called>, ids: readonly string[]): Promise<string> => {
  let said = ''
  for (const id of ids) {
    const answer = await ask(id)
    expect([id, answer.status, answer.text]).toEqual([id, 404, expect.stringContaining('"resource_not_found"')])
    said ||= wordsOf(answer)
    expect([id, wordsOf(answer)]).toEqual([id, said])
  }
  return said
}

/** An answer without what is of this request alone. */
const wordsOf = ({ status, headers, text }: Called): string => {
  const kept = [...headers].filter(([name]) => !OF_ONE_REQUEST.includes(name))
  return `${status} ${JSON.stringify(kept)}\n${text.replaceAll(headers.get('request-id') ?? '', 'ID')}`
}

const OF_ONE_REQUEST = ['date', 'request-id', 'ratelimit']

import { type Resolve, systemResolve, withinMs } from './resolve.ts'
import { judgeAddresses, judgeName, knownAddresses, parseTarget, type Rules, type UrlFault } from './target.ts'

/** What can be told from the URL alone. */
export const judgeUrl = (url: string, livemode: boolean, rules: Rules): 'ok' | UrlFault => {
  const target = parseTarget(url)
  if (typeof target === 'string') return target
  const known = knownAddresses(target, rules)
  return known ? judgeAddresses(target, known, livemode, rules) : judgeName(target, livemode, rules)
}

/**
 * The same, and what its name leads to now. A name that is not known now is no fault: it may be set up after its
 * endpoint, and every attempt looks again.
 */
export const vetUrl = async (
  url: string,
  livemode: boolean,
  rules: Rules,
  resolve: Resolve = systemResolve,
): Promise<'ok' | UrlFault> => {
  const judged = judgeUrl(url, livemode, rules)
  const target = parseTarget(url)
  if (judged !== 'ok' || typeof target === 'string' || knownAddresses(target, rules)) return judged
  const addresses = await withinMs(2_000, resolve(target.name)).catch(() => [])
  return addresses.length === 0 ? 'ok' : judgeAddresses(target, addresses, livemode, rules)
}

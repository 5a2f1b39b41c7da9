import { type Resolve, systemResolve, withTimeout } from './resolve.ts'
import { checkAddresses, checkName, knownAddresses, parseTarget, type Rules, type UrlProblem } from './target.ts'

/** Checks a URL without a lookup. */
export const checkUrl = (url: string, livemode: boolean, rules: Rules): 'ok' | UrlProblem => {
  const target = parseTarget(url)
  if (typeof target === 'string') return target
  const known = knownAddresses(target, rules)
  return known ? checkAddresses(target, known, livemode, rules) : checkName(target, livemode, rules)
}

/**
 * Checks a URL and the addresses of its name. A name that does not resolve is accepted: it may be configured later, and
 * every attempt checks its addresses again.
 */
export const checkUrlAndAddresses = async (
  url: string,
  livemode: boolean,
  rules: Rules,
  resolve: Resolve = systemResolve,
): Promise<'ok' | UrlProblem> => {
  const checked = checkUrl(url, livemode, rules)
  const target = parseTarget(url)
  if (checked !== 'ok' || typeof target === 'string' || knownAddresses(target, rules)) return checked
  const addresses = await withTimeout(2_000, resolve(target.name)).catch(() => [])
  return addresses.length === 0 ? 'ok' : checkAddresses(target, addresses, livemode, rules)
}

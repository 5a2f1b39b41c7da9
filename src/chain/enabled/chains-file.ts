import { readFileSync } from 'node:fs'
import { type } from 'arktype'
import { lazy } from '../../lazy.ts'
import { StartError } from '../../process/start-error.ts'
import { parseAddress } from '../address.ts'
import type { Chain, Token } from '../chain.ts'
import { sandboxId } from '../known/sandbox.ts'

/**
 * The format of CHAINS_FILE: `{ "chains": [ … ] }`, with an entry for each chain.
 *
 * An entry for a known chain has `id` and `tokens` only, and adds tokens. It cannot repeat or change a known asset or
 * address: a person who reads "USDC on Base" must be sure which contract that is, whatever CHAINS_FILE contains.
 */
const shapes = lazy(() => {
  const token = type({
    '+': 'reject',
    asset: '/^[A-Za-z0-9.]{1,20}$/',
    address: type('string').pipe((text, ctx) => parseAddress(text)?.toLowerCase() ?? ctx.error('an address')),
    decimals: '0 <= number.integer <= 36',
    peg: '/^[A-Z]{3}$/ | null',
  })

  const address = token.get('address')

  const feed = type({
    '+': 'reject',
    address,
    pair: '/^[A-Za-z0-9.]{1,20} \\/ [A-Z]{3}$/',
    heartbeatS: '1 <= number.integer <= 172800',
  })

  const native = type({
    '+': 'reject',
    asset: '/^[A-Za-z0-9.]{1,20}$/',
    'feed?': feed.or('null'),
  })

  const webUrl = type('string <= 2048').narrow(text => /^https?:\/\/\S*[^/\s]$/.test(text) && URL.canParse(text))

  const chainId = type('1 <= number.integer <= 9007199254740991')

  return {
    file: type({ '+': 'reject', chains: type('unknown').array().atMostLength(1000) }),
    identified: type({ id: chainId }),
    addition: type({ '+': 'reject', id: chainId, tokens: token.array().atLeastLength(1).atMostLength(100) }),
    entry: type({
      '+': 'reject',
      id: chainId,
      network: '/^[A-Za-z0-9 ._-]{1,40}$/',
      livemode: 'boolean',
      native,
      tokens: token.array().atMostLength(100),
      'currencyFeeds?': feed.array().atMostLength(20),
      finality: type("'finalized'").or({ '+': 'reject', confirmations: '1 <= number.integer <= 100000' }),
      blockMs: '50 <= number.integer <= 600000',
      'pollMs?': '100 <= number.integer <= 600000',
      'explorerUrl?': webUrl.or('null'),
      'sequencerFeed?': address.or('null'),
    }),
  }
})

/**
 * The known chains with the additions of the file. Throws a StartError of one line that names the field and the allowed
 * values.
 */
export const readChainsFile = (path: string, known: readonly Chain[]): readonly Chain[] => {
  const { file, identified, addition, entry } = shapes()
  const { chains } = parsed(file, readJson(path), '')
  let all = known
  chains.forEach((given, n) => {
    const at = `chains[${n}]`
    const id = parsed(identified, given, at).id
    if (chains.slice(0, n).some(other => isEntryOf(other, id)))
      throw refusal(`${at}.id`, 'a chain that is listed only once')
    if (id === sandboxId) throw refusal(`${at}.id`, 'a chain other than the sandbox')
    const before = all.find(chain => chain.id === id)
    const chain = before
      ? { ...before, tokens: [...before.tokens, ...parsed(addition, given, at).tokens] }
      : chainOf(parsed(entry, given, at))
    refuseTwice(chain, before?.tokens.length ?? 0, at)
    refusePairTwice(chain, at)
    all = [...all.filter(other => other !== before), chain]
  })
  return all
}

const readJson = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // The message contains neither the path nor the content: a JSON parser quotes what it could not parse.
    throw new StartError('CHAINS_FILE is not valid: it must be a readable JSON file')
  }
}

const isEntryOf = (given: unknown, id: number) =>
  typeof given === 'object' && given !== null && 'id' in given && given.id === id

const chainOf = (given: ReturnType<typeof shapes>['entry']['infer']): Chain => ({
  id: given.id,
  network: given.network,
  livemode: given.livemode,
  native: { asset: given.native.asset, decimals: 18, feed: given.native.feed ?? null },
  tokens: given.tokens,
  currencyFeeds: given.currencyFeeds ?? [],
  finality: given.finality,
  blockMs: given.blockMs,
  pollMs: given.pollMs ?? Math.min(Math.max(given.blockMs, 1_000), 4_000),
  explorerUrl: given.explorerUrl ?? null,
  sequencerFeed: given.sequencerFeed ?? null,
  minesOnDemand: false,
})

/**
 * Each asset name belongs to one contract and each contract to one asset. Names that differ only in case count as
 * equal, because people read them as equal.
 */
const refuseTwice = ({ native, tokens }: Chain, from: number, at: string) => {
  tokens.slice(from).forEach((token, n) => {
    const others: readonly Token[] = tokens.slice(0, from + n)
    const names = [native.asset, ...others.map(other => other.asset)].map(name => name.toLowerCase())
    if (names.includes(token.asset.toLowerCase()))
      throw refusal(`${at}.tokens[${n}].asset`, 'an asset that the chain does not have yet')
    if (others.some(other => other.address === token.address))
      throw refusal(`${at}.tokens[${n}].address`, 'the address of a token that the chain does not have yet')
  })
}

/** Prices are looked up by pair: of two feeds with the same pair, only the last one would be used. */
const refusePairTwice = ({ native, currencyFeeds }: Chain, at: string) => {
  currencyFeeds.forEach(({ pair }, n) => {
    const others = [...(native.feed ? [native.feed] : []), ...currencyFeeds.slice(0, n)]
    if (others.some(other => other.pair.toLowerCase() === pair.toLowerCase()))
      throw refusal(`${at}.currencyFeeds[${n}].pair`, 'a pair that the chain does not have yet')
  })
}

/** `at` is the path of the given part in the file. */
const parsed = <T>(shape: (given: unknown) => T | type.errors, given: unknown, at: string): T => {
  const result = shape(given)
  if (!(result instanceof type.errors)) return result
  const wrong = result[0]
  const path = wrong?.path ?? []
  const where = path.reduce<string>(
    (sofar, key) => (typeof key === 'number' ? `${sofar}[${key}]` : `${sofar}.${readable(String(key))}`),
    at,
  )
  const field = path.findLast(key => typeof key === 'string') ?? (at === '' ? 'file' : 'chain')
  // A field that is allowed elsewhere may not be allowed at this place.
  const rule = wrong?.expected === 'removed' ? undefined : new Map(Object.entries(allowed)).get(String(field))
  throw rule === undefined
    ? new StartError(`CHAINS_FILE is not valid at ${where.replace(/^\./, '')}: this field is not allowed there`)
    : refusal(where.replace(/^\./, '') || 'the top', rule)
}

const readable = (key: string) => key.replace(/[^A-Za-z0-9_-]/g, '?').slice(0, 40)

const refusal = (where: string, rule: string) =>
  new StartError(`CHAINS_FILE is not valid at ${where}: it must be ${rule}`)

const feedRule = 'an address, a pair such as "ETH / USD" and a heartbeatS'
const addressRule = 'an address: 0x and 40 hexadecimal digits, in lower case or with the checksum of EIP-55'

/** The allowed values of each field, for error messages. */
const allowed = {
  file: 'an object with the list "chains"',
  chain: 'an object',
  chains: 'a list of at most 1000 chains',
  id: 'a chain ID, a whole number of at least 1',
  network: '1 to 40 letters, digits, spaces and . _ -',
  livemode: 'true for a mainnet, false for a testnet',
  native: 'an object with "asset" and an optional "feed"',
  feed: `null, or ${feedRule}`,
  currencyFeeds: `a list of at most 20 feeds: ${feedRule}`,
  tokens: 'a list of at most 100 tokens, and at least one for a chain that is already known',
  asset: '1 to 20 letters, digits and dots',
  address: addressRule,
  decimals: 'a whole number, 0 to 36',
  peg: 'a currency such as "USD", or null',
  pair: 'a pair such as "ETH / USD"',
  heartbeatS: 'a whole number of seconds, 1 to 172800',
  finality: '"finalized", or an object with "confirmations"',
  confirmations: 'a whole number, 1 to 100000',
  blockMs: 'a whole number of milliseconds, 50 to 600000',
  pollMs: 'a whole number of milliseconds, 100 to 600000',
  explorerUrl: 'null, or an http or https URL without a slash at the end',
  sequencerFeed: `null, or ${addressRule}`,
}

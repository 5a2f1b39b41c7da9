import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import type { AddressRange } from './address-ranges.ts'
import type { LogLevel } from './log.ts'
import { StartError } from './start-error.ts'

/** What an operator may set, parsed. */
export type Env = {
  readonly role: 'all' | 'api' | 'worker'
  readonly host: string
  readonly port: number
  /** Where customers and merchants reach the service, without a slash at the end. */
  readonly publicUrl: string
  /** Undefined: the embedded Postgres. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  /** Undefined: the one kept in the data folder. */
  readonly secretKey: string | undefined
  readonly previousSecretKey: string | undefined
  readonly rpcUrls: ReadonlyMap<number, readonly string[]>
  readonly chainsFile: string | undefined
  readonly sandbox: boolean
  readonly sandboxRpcUrl: string | undefined
  readonly trustedProxies: readonly AddressRange[]
  readonly metricsToken: string | undefined
  /** Undefined: open until the first account exists. */
  readonly signUp: 'open' | 'closed' | undefined
  /** Requests a second, 0 is no limit. */
  readonly apiRateLimit: { readonly live: number; readonly test: number }
  readonly checkoutRateLimit: number
  readonly webhooks: { readonly allow: readonly AddressRange[]; readonly ports: readonly number[] }
  readonly logLevel: LogLevel
}

/**
 * Throws a StartError of one line: the variable and what is allowed. Never the value, which may be a secret.
 * By hand: every command reads these, and to load arktype for them takes longer than most of what commands do.
 */
export const parseEnv = (variables: Readonly<Record<string, string | undefined>>): Env => {
  // `PORT=` in a compose file means not set.
  const given = new Map(Object.entries(variables).filter(([, value]) => value?.trim()))
  const read = <Value>(name: keyof typeof allowed, parse: Parse<Value>): Value | undefined => {
    const text = given.get(name)
    const value = text === undefined ? undefined : parse(text)
    if (text !== undefined && value === undefined) throw invalid(name)
    return value
  }
  const host = read('HOST', text => (/^[\w.:-]+$/.test(text) ? text : undefined)) ?? '127.0.0.1'
  const port = read('PORT', portOf) ?? 3000
  const env = {
    role: read('ROLE', oneOf('all', 'api', 'worker')) ?? 'all',
    host,
    port,
    publicUrl: read('PUBLIC_URL', originOf) ?? urlOf(host, port),
    databaseUrl: read('DATABASE_URL', urlWith('postgres:', 'postgresql:')),
    dataDir: read('DATA_DIR', text => text) ?? '.data',
    secretKey: read('SECRET_KEY', atLeast(32)),
    previousSecretKey: read('SECRET_KEY_PREVIOUS', atLeast(32)),
    chainsFile: read('CHAINS_FILE', path => (existsSync(path) ? path : undefined)),
    sandbox: (read('SANDBOX', oneOf('on', 'off')) ?? 'on') === 'on',
    sandboxRpcUrl: read('SANDBOX_RPC_URL', httpUrl),
    trustedProxies: read('TRUSTED_PROXIES', listOf(rangeOf)) ?? [],
    metricsToken: read('METRICS_TOKEN', atLeast(16)),
    signUp: read('SIGN_UP', oneOf('open', 'closed')),
    apiRateLimit: { live: read('API_RATE_LIMIT_LIVE', rateOf) ?? 100, test: read('API_RATE_LIMIT_TEST', rateOf) ?? 25 },
    checkoutRateLimit: read('CHECKOUT_RATE_LIMIT', rateOf) ?? 10,
    webhooks: {
      allow: read('WEBHOOK_ALLOW', listOf(rangeOf)) ?? [],
      ports: read('WEBHOOK_PORTS', someOf(portOf)) ?? [443, 8443],
    },
    logLevel: read('LOG_LEVEL', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')) ?? 'info',
  }
  if (env.databaseUrl && !env.secretKey)
    throw new StartError(`SECRET_KEY is missing: with DATABASE_URL it must be set, to ${allowed.SECRET_KEY}`)
  return { ...env, rpcUrls: readRpcUrls(given) }
}

/** Undefined: the text is not allowed. */
type Parse<Value> = (text: string) => Value | undefined

const invalid = (name: string) => {
  const rule = new Map(Object.entries(allowed)).get(name) ?? allowed.RPC_URLS_
  return new StartError(`${name} is not valid: it must be ${rule}`)
}

const ranges = 'addresses or ranges such as 10.0.0.0/8,::1, separated by commas'
const rates = 'a whole number of requests a second, 0 to 1000000 (0 is no limit)'
const key = 'at least 32 characters, such as the output of: openssl rand -base64 32'

/** What an operator reads when a variable is wrong. */
const allowed = {
  ROLE: 'all, api or worker',
  PORT: 'a port number, 1 to 65535',
  HOST: 'an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0',
  PUBLIC_URL: 'an http or https address without a path, such as https://pay.example.com',
  DATABASE_URL: 'a Postgres address, postgres://user:password@host:5432/database',
  DATA_DIR: 'a folder',
  SECRET_KEY: key,
  SECRET_KEY_PREVIOUS: key,
  RPC_URLS_: 'http or https addresses separated by commas, under the name RPC_URLS_<chain id>',
  CHAINS_FILE: 'a file that exists',
  SANDBOX: 'on or off',
  SANDBOX_RPC_URL: 'an http or https address',
  TRUSTED_PROXIES: ranges,
  METRICS_TOKEN: 'at least 16 characters',
  SIGN_UP: 'open or closed',
  API_RATE_LIMIT_LIVE: rates,
  API_RATE_LIMIT_TEST: rates,
  CHECKOUT_RATE_LIMIT: rates,
  WEBHOOK_ALLOW: ranges,
  WEBHOOK_PORTS: 'port numbers, 1 to 65535, separated by commas',
  LOG_LEVEL: 'fatal, error, warn, info, debug, trace or silent',
}

const oneOf =
  <const Value extends string>(...values: readonly Value[]): Parse<Value> =>
  text =>
    values.find(value => value === text)

const atLeast =
  (length: number): Parse<string> =>
  text =>
    text.length >= length ? text : undefined

const numberOf =
  (least: number, most: number): Parse<number> =>
  text =>
    /^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined

const portOf = numberOf(1, 65_535)
const rateOf = numberOf(0, 1_000_000)

const urlWith =
  (...protocols: readonly string[]): Parse<string> =>
  text =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined

const httpUrl = urlWith('http:', 'https:')

const originOf: Parse<string> = text => {
  if (httpUrl(text) === undefined) return undefined
  const { origin, pathname, search, hash, username, password } = new URL(text)
  return pathname === '/' && !search && !hash && !username && !password ? origin : undefined
}

const rangeOf: Parse<AddressRange> = text => {
  const [address = '', end] = text.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  const prefix = end === undefined ? widest[family] : Number(end)
  const isRange = isIP(address) !== 0 && /^[^/]+(\/\d{1,3})?$/.test(text) && prefix <= widest[family]
  return isRange ? { address, family, prefix } : undefined
}

const widest = { ipv4: 32, ipv6: 128 }

const listOf =
  <Value>(parse: Parse<Value>): Parse<readonly Value[]> =>
  text => {
    const parts = text
      .split(',')
      .map(part => part.trim())
      .filter(Boolean)
    const values = parts.map(parse).filter(value => value !== undefined)
    return values.length === parts.length ? values : undefined
  }

const someOf =
  <Value>(parse: Parse<Value>): Parse<readonly Value[]> =>
  text => {
    const values = listOf(parse)(text)
    return values && values.length > 0 ? values : undefined
  }

const readRpcUrls = (given: ReadonlyMap<string, string | undefined>): Env['rpcUrls'] => {
  const urls = new Map<number, readonly string[]>()
  for (const [name, value = ''] of given) {
    if (!name.startsWith('RPC_URLS_')) continue
    const parsed = someOf(httpUrl)(value)
    if (!/^RPC_URLS_[1-9]\d{0,14}$/.test(name) || !parsed) throw invalid(name)
    urls.set(Number(name.slice('RPC_URLS_'.length)), parsed)
  }
  return urls
}

/** What a browser on this machine would open. */
const urlOf = (host: string, port: number) => {
  const anywhere = host === '0.0.0.0' || host === '::'
  return `http://${anywhere ? 'localhost' : isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

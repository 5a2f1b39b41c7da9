import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { type } from 'arktype'
import type { AddressRange } from './address-ranges.ts'
import type { LogLevel } from './log.ts'
import { readSecretFiles } from './process/secret-files.ts'
import { SECRET_KEY_LENGTH } from './process/secret-key.ts'
import { StartError } from './process/start-error.ts'

/** The environment variables, parsed. */
export type Env = {
  readonly role: 'all' | 'api' | 'worker'
  readonly host: string
  readonly port: number
  /** Base URL for customers and merchants, without a slash at the end. */
  readonly publicUrl: string
  /** Undefined: the embedded Postgres. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  /** Undefined: the key in the data folder. */
  readonly secretKey: string | undefined
  readonly previousSecretKey: string | undefined
  readonly rpcUrls: ReadonlyMap<number, readonly string[]>
  /** Undefined: nodes are called directly. */
  readonly rpcProxy: string | undefined
  readonly chainsFile: string | undefined
  readonly sandbox: boolean
  readonly sandboxRpcUrl: string | undefined
  readonly trustedProxies: readonly AddressRange[]
  readonly metricsToken: string | undefined
  /** Undefined: open until the first account exists. */
  readonly signUp: 'open' | 'closed' | undefined
  /** Requests per second. 0 is no limit. */
  readonly apiRateLimit: { readonly live: number; readonly test: number }
  readonly checkoutRateLimit: number
  readonly webhooks: { readonly allow: readonly AddressRange[]; readonly ports: readonly number[] }
  /** For how many days it is kept. Undefined: for ever. */
  readonly retainDays: RetainDays
  readonly logLevel: LogLevel
}

export type RetainDays = {
  /** The responses of webhook endpoints. */
  readonly attemptBodies: number | undefined
  /** Webhook deliveries that have ended, with their attempts and their history. */
  readonly deliveries: number | undefined
  /** The history of payments and payment links that have ended, but its end. */
  readonly history: number | undefined
}

/** Throws a StartError with one line: the variable and the allowed values. Never its value, which may be a secret. */
export const parseEnv = (variables: Readonly<Record<string, string | undefined>>): Env => {
  // `PORT=` in a compose file means not set.
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()))
  const given = { ...set, ...readSecretFiles(set) }
  requireKnown(given)
  const env = environment(given)
  if (env instanceof type.errors) throw invalid(String(env[0]?.path[0]))
  if (env.DATABASE_URL && !env.SECRET_KEY)
    throw new StartError(`SECRET_KEY is missing: with DATABASE_URL it must be set to ${allowed.SECRET_KEY}`)
  return {
    role: env.ROLE,
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL ?? urlOf(env.HOST, env.PORT),
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    secretKey: env.SECRET_KEY,
    previousSecretKey: env.SECRET_KEY_PREVIOUS,
    rpcUrls: parseRpcUrls(given),
    rpcProxy: env.RPC_PROXY,
    chainsFile: env.CHAINS_FILE,
    sandbox: env.SANDBOX === 'on',
    sandboxRpcUrl: env.SANDBOX_RPC_URL,
    trustedProxies: env.TRUSTED_PROXIES,
    metricsToken: env.METRICS_TOKEN,
    signUp: env.SIGN_UP,
    apiRateLimit: { live: env.API_RATE_LIMIT_LIVE, test: env.API_RATE_LIMIT_TEST },
    checkoutRateLimit: env.CHECKOUT_RATE_LIMIT,
    webhooks: { allow: env.WEBHOOK_ALLOW, ports: env.WEBHOOK_PORTS },
    retainDays: {
      attemptBodies: env.RETAIN_ATTEMPT_BODIES_DAYS,
      deliveries: env.RETAIN_DELIVERIES_DAYS,
      history: env.RETAIN_HISTORY_DAYS,
    },
    logLevel: env.LOG_LEVEL,
  }
}

/** Records are dropped by the default of a setting whose name is misspelled. */
const requireKnown = (given: Readonly<Record<string, string | undefined>>): void => {
  const unknown = Object.keys(given).find(name => name.startsWith('RETAIN_') && !(name in allowed))
  if (unknown !== undefined) {
    const known = Object.keys(allowed).filter(name => name.startsWith('RETAIN_'))
    throw new StartError(`${unknown} is not known: set ${known.join(', ')}`)
  }
}

/**
 * Figures can be made again from the history: those of the state machines go back 31 days, and those of merchants are kept by
 * the quarter-hour for 400 days.
 */
const LEAST_DAYS = { attemptBodies: 1, deliveries: 35, history: 400 }

const invalid = (name: string) => {
  const rule = new Map(Object.entries(allowed)).get(name) ?? allowed.RPC_URLS_
  return new StartError(`${name} is not valid: it must be ${rule}`)
}

const ranges = 'IP addresses or ranges, separated by commas, such as 10.0.0.0/8,::1'
const days = (least: number) => `a whole number of days, ${least} to 36500, or forever`
const rates = 'a whole number of requests per second, 0 to 1000000 (0 is no limit)'
const key = `at least ${SECRET_KEY_LENGTH} characters, such as the output of: openssl rand -base64 32`

/** The allowed values, as in the error message. */
const allowed = {
  ROLE: 'all, api or worker',
  PORT: 'a port number, 1 to 65535',
  HOST: 'an IP address or host name to listen on, such as 127.0.0.1 or 0.0.0.0',
  PUBLIC_URL: 'an http or https URL without a path, such as https://pay.example.com',
  DATABASE_URL: 'a Postgres URL, such as postgres://user:password@host:5432/database',
  DATA_DIR: 'a folder',
  SECRET_KEY: key,
  SECRET_KEY_PREVIOUS: key,
  RPC_URLS_: 'http or https URLs of different nodes, separated by commas, under the name RPC_URLS_<chain id>',
  RPC_PROXY: 'the http or https URL of a proxy',
  CHAINS_FILE: 'the path of an existing file',
  SANDBOX: 'on or off',
  SANDBOX_RPC_URL: 'the http or https URL of a development node',
  TRUSTED_PROXIES: ranges,
  METRICS_TOKEN: 'at least 16 characters',
  SIGN_UP: 'open or closed',
  API_RATE_LIMIT_LIVE: rates,
  API_RATE_LIMIT_TEST: rates,
  CHECKOUT_RATE_LIMIT: rates,
  WEBHOOK_ALLOW: ranges,
  WEBHOOK_PORTS: 'port numbers, 1 to 65535, separated by commas',
  RETAIN_ATTEMPT_BODIES_DAYS: days(LEAST_DAYS.attemptBodies),
  RETAIN_DELIVERIES_DAYS: days(LEAST_DAYS.deliveries),
  RETAIN_HISTORY_DAYS: days(LEAST_DAYS.history),
  LOG_LEVEL: 'fatal, error, warn, info, debug, trace or silent',
}

const isUrl = (text: string, protocols: readonly string[]) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol)

const isOrigin = (text: string) => {
  const { pathname, search, hash, username, password } = new URL(text)
  return pathname === '/' && !search && !hash && !username && !password
}

const parseRange = (text: string): AddressRange => {
  const [address = '', prefix] = text.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  return { address, family, prefix: prefix === undefined ? widest[family] : Number(prefix) }
}

const widest = { ipv4: 32, ipv6: 128 }

const isRange = (text: string) => {
  const { address, family, prefix } = parseRange(text)
  return isIP(address) !== 0 && /^[^/]+(\/\d{1,3})?$/.test(text) && prefix <= widest[family]
}

const wholeNumber = type('/^\\d{1,7}$/').pipe(Number)
const port = wholeNumber.to('1 <= number <= 65535')
const rate = wholeNumber.to('number <= 1000000')
const daysFrom = (least: number) =>
  type("'forever'")
    .pipe(() => undefined)
    .or(wholeNumber.to(type('number <= 36500').narrow(days => days >= least)))
const secret = type('string').atLeastLength(SECRET_KEY_LENGTH)
const httpUrl = type('string').narrow(text => isUrl(text, ['http:', 'https:']))
const list = type('string').pipe(text =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(Boolean),
)
const rangeList = list.to(type('string').narrow(isRange).pipe(parseRange).array())

const environment = type({
  ROLE: type("'all' | 'api' | 'worker'").default('all'),
  PORT: port.default('3000'),
  HOST: type('/^[\\w.:-]+$/').default('127.0.0.1'),
  'PUBLIC_URL?': httpUrl.narrow(isOrigin).pipe(text => new URL(text).origin),
  'DATABASE_URL?': type('string').narrow(text => isUrl(text, ['postgres:', 'postgresql:'])),
  DATA_DIR: type('string').default('.data'),
  'SECRET_KEY?': secret,
  'SECRET_KEY_PREVIOUS?': secret,
  'RPC_PROXY?': httpUrl,
  'CHAINS_FILE?': type('string').narrow(path => existsSync(path)),
  SANDBOX: type("'on' | 'off'").default('on'),
  'SANDBOX_RPC_URL?': httpUrl,
  TRUSTED_PROXIES: rangeList.default(''),
  'METRICS_TOKEN?': type('string >= 16'),
  'SIGN_UP?': "'open' | 'closed'",
  API_RATE_LIMIT_LIVE: rate.default('100'),
  API_RATE_LIMIT_TEST: rate.default('25'),
  CHECKOUT_RATE_LIMIT: rate.default('10'),
  WEBHOOK_ALLOW: rangeList.default(''),
  WEBHOOK_PORTS: list.to(port.array().atLeastLength(1)).default('443,8443'),
  RETAIN_ATTEMPT_BODIES_DAYS: daysFrom(LEAST_DAYS.attemptBodies).default('30'),
  RETAIN_DELIVERIES_DAYS: daysFrom(LEAST_DAYS.deliveries).default('90'),
  RETAIN_HISTORY_DAYS: daysFrom(LEAST_DAYS.history).default('400'),
  LOG_LEVEL: type("'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'").default('info'),
})

/** Two URLs in one entry, such as `https://a;https://b`, would be parsed as one wrong URL. */
const isOne = (text: string) => !/[;\s]\s*https?:\/\//i.test(text)

/** The same text for equivalent URLs. */
const nodeAt = (text: string): string => {
  const { protocol, username, password, hostname, port, pathname, search } = new URL(text)
  const parts = [protocol, username, password, hostname.replace(/\.$/, ''), port, pathname.replace(/\/+$/, ''), search]
  return parts.join(' ')
}

/** Two nodes must agree before money is final. A node that is listed twice would agree with itself. */
const areDifferent = (urls: readonly string[]) => new Set(urls.map(nodeAt)).size === urls.length

const urlList = list.to(httpUrl.narrow(isOne).array().atLeastLength(1).narrow(areDifferent))

const parseRpcUrls = (given: Readonly<Record<string, string | undefined>>): Env['rpcUrls'] => {
  const urls = new Map<number, readonly string[]>()
  for (const [name, value] of Object.entries(given)) {
    if (!name.startsWith('RPC_URLS_')) continue
    const parsed = urlList(value)
    if (!/^RPC_URLS_[1-9]\d{0,14}$/.test(name) || parsed instanceof type.errors) throw invalid(name)
    urls.set(Number(name.slice('RPC_URLS_'.length)), parsed)
  }
  return urls
}

/** The URL for a browser on this machine. */
const urlOf = (host: string, port: number) => {
  const anywhere = host === '0.0.0.0' || host === '::'
  return `http://${anywhere ? 'localhost' : isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

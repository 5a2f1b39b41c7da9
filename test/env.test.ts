import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Env, parseEnv } from '../src/env.ts'
import { StartError } from '../src/process/start-error.ts'

const secret = 'a secret that must never be printed'

/** Each variable with accepted values and their results, and with refused values. */
const table: readonly {
  name: string
  good: Record<string, (env: Env) => unknown>
  bad: readonly string[]
  says: string
}[] = [
  {
    name: 'ROLE',
    good: { all: env => env.role === 'all', api: env => env.role === 'api', worker: env => env.role === 'worker' },
    bad: ['both', 'ALL', 'api,worker'],
    says: 'all, api or worker',
  },
  {
    name: 'PORT',
    good: { '1': env => env.port === 1, '65535': env => env.port === 65535, '': env => env.port === 3000 },
    bad: ['0', '65536', '-1', '3000.5', '3e3', '0x10', 'http', '99999999999'],
    says: 'a port number, 1 to 65535',
  },
  {
    name: 'HOST',
    good: {
      '0.0.0.0': env => env.host === '0.0.0.0' && env.publicUrl === 'http://localhost:3000',
      '::1': env => env.host === '::1' && env.publicUrl === 'http://[::1]:3000',
      'pay.internal': env => env.publicUrl === 'http://pay.internal:3000',
    },
    bad: ['http://localhost', 'a b'],
    says: 'an IP address or host name',
  },
  {
    name: 'PUBLIC_URL',
    good: {
      'https://pay.example.com': env => env.publicUrl === 'https://pay.example.com',
      'https://pay.example.com:8443/': env => env.publicUrl === 'https://pay.example.com:8443',
      '': env => env.publicUrl === 'http://127.0.0.1:3000',
    },
    bad: ['pay.example.org', 'ftp://x', 'https://x/path', 'https://u:p@x', 'https://x/?q', 'https://x/#h'],
    says: 'an http or https URL without a path',
  },
  {
    name: 'DATABASE_URL',
    good: {
      'postgres://u:p@h:5432/d': env => env.databaseUrl === 'postgres://u:p@h:5432/d',
      'postgresql://h/d': env => env.databaseUrl === 'postgresql://h/d',
      '': env => env.databaseUrl === undefined,
    },
    bad: ['mysql://h/d', 'h:5432/d', `host=h password=${secret}`],
    says: 'a Postgres URL',
  },
  {
    name: 'DATA_DIR',
    good: { '/srv/pay': env => env.dataDir === '/srv/pay', '': env => env.dataDir === '.data' },
    bad: [],
    says: '',
  },
  {
    name: 'SECRET_KEY',
    good: { [secret]: env => env.secretKey === secret },
    bad: [secret.slice(0, 31)],
    says: 'at least 32 characters',
  },
  {
    name: 'SECRET_KEY_PREVIOUS',
    good: { [secret]: env => env.previousSecretKey === secret, '': env => env.previousSecretKey === undefined },
    bad: [secret.slice(0, 31)],
    says: 'at least 32 characters',
  },
  {
    name: 'RPC_URLS_1',
    good: {
      'https://a.example/key, http://b.example': env =>
        Bun.deepEquals(env.rpcUrls, new Map([[1, ['https://a.example/key', 'http://b.example']]])),
      // One server may have several nodes.
      'https://a.example/key,https://a.example/Key,https://a.example/key?2,https://a.example:8443/key,http://a.example/key':
        env => env.rpcUrls.get(1)?.length === 5,
      'https://a.example/?to=https://b.example;c,': env => env.rpcUrls.get(1)?.length === 1,
    },
    bad: [
      ...['wss://a.example', 'a.example', 'https://a.example,nonsense', ','],
      // Two nodes that agree would be one that agrees with itself.
      ...[
        'http://a,http://a',
        'http://A/,http://a:80',
        'https://b,http://a/key,http://a/key/#2',
        'https://a.:443//,https://a',
      ],
      ...['https://a.example;https://b.example', 'https://a.example/key; HTTP://b.example', 'https://a/key https://b'],
    ],
    says: 'http or https URLs of different nodes, separated by commas, under the name RPC_URLS_<chain id>',
  },
  { name: 'RPC_URLS_MAINNET', good: {}, bad: ['https://a.example'], says: 'under the name RPC_URLS_<chain id>' },
  { name: 'RPC_URLS_0', good: {}, bad: ['https://a.example'], says: 'under the name RPC_URLS_<chain id>' },
  {
    name: 'RPC_PROXY',
    good: { 'http://user:word@proxy.example:3128': env => env.rpcProxy === 'http://user:word@proxy.example:3128' },
    bad: ['proxy.example:3128', 'socks5://proxy.example'],
    says: 'the http or https URL of a proxy',
  },
  {
    name: 'CHAINS_FILE',
    good: { [import.meta.path]: env => env.chainsFile === import.meta.path },
    bad: ['/nowhere/chains.json'],
    says: 'the path of an existing file',
  },
  {
    name: 'SANDBOX',
    good: { on: env => env.sandbox, off: env => !env.sandbox, '': env => env.sandbox },
    bad: ['true', '1', 'ON'],
    says: 'on or off',
  },
  {
    name: 'SANDBOX_RPC_URL',
    good: { 'http://127.0.0.1:8545': env => env.sandboxRpcUrl === 'http://127.0.0.1:8545' },
    bad: ['127.0.0.1:8545', 'ws://127.0.0.1:8545'],
    says: 'the http or https URL',
  },
  {
    name: 'TRUSTED_PROXIES',
    good: {
      '10.0.0.0/8, ::1': env =>
        Bun.deepEquals(env.trustedProxies, [
          { address: '10.0.0.0', family: 'ipv4', prefix: 8 },
          { address: '::1', family: 'ipv6', prefix: 128 },
        ]),
      '': env => env.trustedProxies.length === 0,
    },
    bad: ['localhost', '10.0.0.0/33', '::/129', '10.9.8', '10.9.8.0/', '10.9.8.0/8/8', '10.0.0.0/-1'],
    says: 'IP addresses or ranges',
  },
  {
    name: 'METRICS_TOKEN',
    good: { 'sixteen letters!': env => env.metricsToken === 'sixteen letters!' },
    bad: ['fifteen letters'],
    says: 'at least 16 characters',
  },
  {
    name: 'SIGN_UP',
    good: {
      open: env => env.signUp === 'open',
      closed: env => env.signUp === 'closed',
      '': env => env.signUp === undefined,
    },
    bad: ['yes', 'Open'],
    says: 'open or closed',
  },
  {
    name: 'API_RATE_LIMIT_LIVE',
    good: { '0': env => env.apiRateLimit.live === 0, '': env => env.apiRateLimit.live === 100 },
    bad: ['-1', '1.5', '1000001', 'many'],
    says: 'a whole number of requests per second',
  },
  {
    name: 'API_RATE_LIMIT_TEST',
    good: { '7': env => env.apiRateLimit.test === 7, '': env => env.apiRateLimit.test === 25 },
    bad: ['-1', '1.5', '1000001', 'many'],
    says: 'a whole number of requests per second',
  },
  {
    name: 'CHECKOUT_RATE_LIMIT',
    good: { '0': env => env.checkoutRateLimit === 0, '': env => env.checkoutRateLimit === 10 },
    bad: ['-1', '1.5', '1000001', 'many'],
    says: 'a whole number of requests per second',
  },
  {
    name: 'WEBHOOK_ALLOW',
    good: {
      '127.0.0.0/8': env => Bun.deepEquals(env.webhooks.allow, [{ address: '127.0.0.0', family: 'ipv4', prefix: 8 }]),
    },
    bad: ['*', 'loopback'],
    says: 'addresses or ranges',
  },
  {
    name: 'WEBHOOK_PORTS',
    good: {
      '443, 9000': env => Bun.deepEquals(env.webhooks.ports, [443, 9000]),
      '': env => Bun.deepEquals(env.webhooks.ports, [443, 8443]),
    },
    bad: ['0', '443,x', '443-8443', ','],
    says: 'port numbers, 1 to 65535, separated by commas',
  },
  {
    name: 'RETAIN_ATTEMPT_BODIES_DAYS',
    good: {
      '1': env => env.retainDays.attemptBodies === 1,
      '36500': env => env.retainDays.attemptBodies === 36_500,
      forever: env => env.retainDays.attemptBodies === undefined,
      '': env => env.retainDays.attemptBodies === 30,
    },
    bad: ['0', '36501', '-1', '1.5', 'never', '30d'],
    says: 'a whole number of days, 1 to 36500, or forever',
  },
  {
    name: 'RETAIN_DELIVERIES_DAYS',
    good: {
      '35': env => env.retainDays.deliveries === 35,
      forever: env => env.retainDays.deliveries === undefined,
      '': env => env.retainDays.deliveries === 90,
    },
    bad: ['0', '34', '36501', 'always'],
    says: 'a whole number of days, 35 to 36500, or forever',
  },
  {
    name: 'RETAIN_HISTORY_DAYS',
    good: {
      '400': env => env.retainDays.history === 400,
      forever: env => env.retainDays.history === undefined,
      '': env => env.retainDays.history === 400,
    },
    bad: ['0', '399', '36501'],
    says: 'a whole number of days, 400 to 36500, or forever',
  },
  {
    name: 'LOG_LEVEL',
    good: { silent: env => env.logLevel === 'silent', '': env => env.logLevel === 'info' },
    bad: ['verbose', 'INFO'],
    says: 'fatal, error, warn, info, debug, trace or silent',
  },
]

test('a setting of what is kept that does not exist ends the start, with those that do', () => {
  expect(refusal({ SECRET_KEY: secret, RETAIN_DELIVERY_DAYS: 'forever' })).toBe(
    'RETAIN_DELIVERY_DAYS is not known: set RETAIN_ATTEMPT_BODIES_DAYS, RETAIN_DELIVERIES_DAYS, RETAIN_HISTORY_DAYS',
  )
  expect(parseEnv({ SECRET_KEY: secret, RETAIN_DELIVERY_DAYS: '' }).retainDays.deliveries).toBe(90)
})

for (const { name, good, bad, says } of table) {
  for (const [value, holds] of Object.entries(good))
    test(`${name}=${value} is accepted`, () =>
      expect(holds(parseEnv({ SECRET_KEY: secret, [name]: value }))).toBe(true))

  for (const value of bad)
    test(`${name}=${value} ends the start with one line without the value`, () => {
      const message = refusal({ SECRET_KEY: secret, [name]: value })
      expect(message).toStartWith(`${name} is not valid: it must be `)
      expect(message).toContain(says)
      expect(message).not.toContain('\n')
      if (value.length > 5) expect(message).not.toContain(value)
    })
}

test('without settings everything has a value', () => {
  expect(parseEnv({})).toMatchObject({ role: 'all', databaseUrl: undefined, secretKey: undefined, sandbox: true })
})

test('a database of the operator needs a secret key that is stored with it', () => {
  expect(refusal({ DATABASE_URL: 'postgres://h/d' })).toStartWith(
    'SECRET_KEY is missing: with DATABASE_URL it must be set',
  )
})

const inFile: readonly (readonly [string, string, (env: Env) => unknown])[] = [
  ['DATABASE_URL', 'postgres://u:p@h/d', env => env.databaseUrl],
  ['SECRET_KEY', secret, env => env.secretKey],
  ['SECRET_KEY_PREVIOUS', secret, env => env.previousSecretKey],
  ['METRICS_TOKEN', secret, env => env.metricsToken],
]

for (const [name, value, read] of inFile)
  test(`${name}_FILE names a file that contains ${name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
    const path = join(folder, 'secret')
    const key = name === 'SECRET_KEY' ? {} : { SECRET_KEY: secret }
    writeFileSync(path, `${value}\n`)
    expect(read(parseEnv({ ...key, [`${name}_FILE`]: path }))).toBe(value)
    expect(refusal({ ...key, [name]: value, [`${name}_FILE`]: path })).toBe(
      `${name} and ${name}_FILE are both set: remove one of them`,
    )
    writeFileSync(path, '\n')
    expect(refusal({ ...key, [`${name}_FILE`]: path })).toBe(`${name}_FILE: ${path} is empty`)
    rmSync(folder, { recursive: true })
    expect(refusal({ ...key, [`${name}_FILE`]: path })).toBe(`${name}_FILE: ${path} cannot be read (ENOENT)`)
  })

const refusal = (variables: Record<string, string>): string => {
  try {
    parseEnv(variables)
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}

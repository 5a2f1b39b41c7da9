import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { StartError } from '../process/start-error.ts'

/** A database URL that both drivers accept, and the TLS options of its connections. */
export type DatabaseUrl = { readonly url: string; readonly tls: false | Tls }

/** Options of tls.connect(). */
export type Tls = {
  readonly servername?: string
  readonly rejectUnauthorized: boolean
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/**
 * Parses DATABASE_URL as libpq does. The drivers differ from libpq and from each other: postgres.js verifies with the
 * system's authorities only and sends `sslrootcert` to the server; `pg` verifies for `sslmode=require`.
 */
export const parseDatabaseUrl = (text: string): DatabaseUrl => {
  const url = new URL(text)
  const parameters = Object.fromEntries(url.searchParams)
  for (const name of Object.keys(parameters)) {
    if (!sentToServer.includes(name) && !tlsParameters.includes(name))
      throw new StartError(`DATABASE_URL: the parameter ${name} is not supported: remove it`)
    if (tlsParameters.includes(name)) url.searchParams.delete(name)
  }
  return { url: url.href, tls: readTls(url.hostname, parameters) }
}

const sentToServer: readonly string[] = ['application_name', 'options']

const tlsParameters: readonly string[] = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey']

const modes: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full']

const readTls = (host: string, { sslmode: mode, sslrootcert, sslcert, sslkey }: Partial<Record<string, string>>) => {
  const given = Object.entries({ sslrootcert, sslcert, sslkey }).find(([, path]) => path !== undefined)
  if (mode === undefined) {
    if (given) throw new StartError(`DATABASE_URL: ${given[0]} also needs sslmode, such as sslmode=verify-full`)
    return false
  }
  if (!modes.includes(mode))
    throw new StartError(`DATABASE_URL: sslmode must be ${modes.slice(0, -1).join(', ')} or ${modes.at(-1)}`)
  // As in libpq: anyone can get a certificate of a public authority, so the host name must be verified too.
  if (sslrootcert === 'system' && mode !== 'verify-full')
    throw new StartError('DATABASE_URL: sslrootcert=system needs sslmode=verify-full')
  if (mode === 'verify-ca' && sslrootcert === undefined)
    throw new StartError(
      'DATABASE_URL: sslmode=verify-ca needs the file of an authority in sslrootcert: name it there, or use sslmode=verify-full',
    )
  if (mode === 'disable') return false
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new StartError('DATABASE_URL: sslcert and sslkey must be set together')
  // `system`: the authorities of the runtime, which are used if there is no file.
  const ca = sslrootcert === 'system' ? undefined : readPem('sslrootcert', sslrootcert)
  const cert = readPem('sslcert', sslcert)
  const key = readPem('sslkey', sslkey)
  const name = host.replace(/^\[|\]$/g, '')
  return {
    ...(isIP(name) === 0 && { servername: name }),
    // As in libpq: with a file of authorities, `require` verifies like `verify-ca`.
    rejectUnauthorized: mode !== 'require' || ca !== undefined,
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      mode === 'verify-full' ? checkServerIdentity(name, certificate) : undefined,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && key !== undefined && { cert, key }),
  }
}

const readPem = (name: string, path: string | undefined): string | undefined => {
  if (path === undefined) return undefined
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartError(`DATABASE_URL: ${name} ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (!text.includes('-----BEGIN ')) throw new StartError(`DATABASE_URL: ${name} ${path} is not a PEM file`)
  return text
}

/** For `pg`, which graphile-worker uses. */
export const pgAddress = (databaseUrl: string) => {
  const { url, tls } = parseDatabaseUrl(databaseUrl)
  return { connectionString: url, ssl: tls }
}

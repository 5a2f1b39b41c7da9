import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountFor, give } from '../../src/process/account.ts'
import { cert, key } from '../webhooks/certificate.ts'
import { type PostgresServer, postgresServer } from './server.ts'

/** A Postgres with TLS, and its URL for a client that does not check the certificate. */
export const tlsPostgresServer = async (): Promise<PostgresServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-tls-'))
  const account = accountFor(tmpdir())
  give(folder, account)
  const fileOf = (name: string, content: string): string => {
    const path = join(folder, name)
    writeFileSync(path, content, { mode: 0o600 })
    give(path, account)
    return path
  }
  const settings = { ssl: 'on', ssl_cert_file: fileOf('cert.pem', cert), ssl_key_file: fileOf('key.pem', key) }
  const server = await postgresServer({ settings })
  const url = new URL(server.url)
  url.searchParams.set('sslmode', 'require')
  return new Proxy(server, {
    get: (target, name) => {
      if (name === 'url') return url.href
      if (name !== Symbol.asyncDispose) return Reflect.get(target, name)
      return async () => {
        await target[Symbol.asyncDispose]()
        await rm(folder, { recursive: true, force: true })
      }
    },
  })
}

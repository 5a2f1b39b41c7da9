import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { accountFor } from '../../src/process/account.ts'
import { cert, key } from '../webhooks/certificate.ts'
import { postgresServer } from './server.ts'

/** A Postgres with TLS, whose certificate is for localhost and 127.0.0.1, and the files that a client needs. */
export const tlsServer = async ({ clientCertificate = false } = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  chmodSync(folder, 0o755)
  const write = (name: string, text: string, mode = 0o644) => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode })
    return path
  }
  const root = write('root.crt', cert)
  const ownKey = write('server.key', key, 0o600)
  const account = accountFor(tmpdir())
  if (account) chownSync(ownKey, account.uid, account.gid)
  const rule = clientCertificate ? ' clientcert=verify-ca' : ''
  const hba = write('pg_hba.conf', `hostssl all all 127.0.0.0/8 scram-sha-256${rule}\n`)
  const server = await postgresServer({
    settings: {
      ...{ ssl: 'on', ssl_cert_file: root, ssl_key_file: ownKey, ssl_ca_file: root, hba_file: hba },
      listen_addresses: '127.0.0.1,127.0.0.2',
    },
  })
  return {
    url: server.url,
    root,
    /** A certificate authority that has not signed this server's certificate. */
    other: write('other.crt', rootCertificates[0] ?? ''),
    client: `sslcert=${write('client.crt', cert)}&sslkey=${write('client.key', key, 0o600)}`,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

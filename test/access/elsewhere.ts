import { connect, type Sql } from '../../src/postgres/connect.ts'

/** Another pool on the same database, as another process has one. */
export const elsewhere = ({ options }: Sql, name = 'elsewhere') => {
  const { host, port, database, user, pass } = options
  const url = new URL(`postgres://localhost/${database}`)
  url.hostname = host[0] ?? ''
  url.port = String(port[0])
  url.username = user
  url.password = typeof pass === 'string' ? pass : ''
  const sql = connect(url.href, { name })
  return { sql, url: url.href, [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
}

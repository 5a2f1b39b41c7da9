import { connect, type Sql } from '../../src/postgres/connect.ts'

/** Another pool on the same database, like that of another process. */
export const elsewhere = (here: Sql, name = 'elsewhere') => {
  const url = urlOf(here)
  const sql = connect(url, { name })
  return { sql, url, [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
}

/** The URL of its database, for other connections. */
export const urlOf = ({ options }: Sql): string => {
  const { host, port, database, user, pass } = options
  const url = new URL(`postgres://localhost/${database}`)
  url.hostname = host[0] ?? ''
  url.port = String(port[0])
  url.username = user
  url.password = typeof pass === 'string' ? pass : ''
  return url.href
}

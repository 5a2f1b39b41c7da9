import { audit } from '../../src/audit/audit.ts'
import type { Finding } from '../../src/audit/rules/check.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'

/** What the audit finds after a change, which is rolled back. */
export const findingsAfter = async (
  databaseUrl: string,
  change: string,
  look: (sql: Sql) => Promise<readonly Finding[]> = sql => audit(sql, kinds),
): Promise<readonly Finding[]> => {
  const alone = connect(databaseUrl, { max: 1 })
  try {
    await alone`begin`
    await alone.unsafe(change)
    return await look(alone)
  } finally {
    await alone`rollback`
    await alone.end()
  }
}

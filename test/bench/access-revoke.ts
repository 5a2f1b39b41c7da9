import { openKeyCache } from '../../src/access/key-cache.ts'
import { revokeApiKey } from '../../src/commands/api-keys.ts'
import { openLog } from '../../src/log.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { insertKey, insertMerchant } from '../access/keys.ts'
import { until } from '../harness/until.ts'
import type { AccessSizes } from './access.ts'
import { type AccessServer, startAccessServer } from './access-servers.ts'
import type { Bench } from './bench.ts'
import { milliseconds } from './promises.ts'
import { createMigrated } from './server.ts'

/** Keys are revoked in this process while other processes check them continuously. */
export const promiseRevocation = async (
  { server, report }: Bench,
  { revoked, processes }: AccessSizes,
): Promise<void> => {
  await using db = await createMigrated(server)
  const sql = connect(db.url)
  await using others = new AsyncDisposableStack()
  const servers = await Promise.all(Array.from({ length: processes }, () => startAccessServer(db.url)))
  for (const other of servers) others.use(other)
  const merchantId = await insertMerchant(sql)
  const found = await Promise.all(
    Array.from({ length: revoked }, (_, n) =>
      acceptedAfterRevocation(sql, servers, { merchantId, afterMs: (n * 1_000) / revoked }),
    ),
  )
  await sql.end({ timeout: 1 })
  const longest = Math.max(...found.flatMap(({ elsewhere }) => elsewhere))
  const from = `${revoked} keys, ${processes} other processes`
  report.atMost('a revoked key is refused everywhere', longest, 1_000, { as: milliseconds, from })
  const good = found.filter(({ here }) => here).length
  report.judge(
    'and immediately in the process that revoked it',
    good === 0,
    `${good} of ${revoked} keys still worked`,
    'none',
  )
}

const by = { accountId: null, actor: 'operator', address: null } as const

type Outlived = { readonly here: boolean; readonly elsewhere: readonly number[] }

/** In each process, the time from the response to the revocation until the last request that was still accepted. */
const acceptedAfterRevocation = async (
  sql: Sql,
  servers: readonly AccessServer[],
  { merchantId, afterMs }: { readonly merchantId: string; readonly afterMs: number },
): Promise<Outlived> => {
  const { id, secret } = await insertKey(sql, { merchantId })
  const keys = openKeyCache({ sql, log: openLog('silent') })
  let revokedAt = Number.POSITIVE_INFINITY
  const watching = servers.map(async server => {
    let lastGood = 0
    await until(
      async () => {
        const asked = performance.now()
        const status = await server.ask('/checked', secret)
        if (status === 200) lastGood = asked
        return status === 401
      },
      { everyMs: 2 },
    )
    return Math.max(0, lastGood - revokedAt)
  })
  await Promise.all(servers.map(server => server.ask('/checked', secret)))
  const began = performance.now()
  // Each at another moment of the second for which the key is cached.
  await until(async () => (await keys.find(secret)) && performance.now() - began >= afterMs)
  await revokeApiKey({ sql, keys }, { id, merchantId }, by)
  revokedAt = performance.now()
  const here = (await keys.find(secret)) !== undefined
  await keys.stop()
  return { here, elsewhere: await Promise.all(watching) }
}

import { audit } from '../../src/audit/audit.ts'
import { connectForAudit, PARALLEL } from '../../src/audit/connection.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { insertPaidPayments } from './audit-rows.ts'
import type { Bench } from './bench.ts'
import { createMigrated } from './server.ts'
import { SECRET_KEY } from './webhooks-instance.ts'

/** The time and the memory of a full audit of a service with this many payments. */
export const auditBench = (bench: Bench): Promise<void> => measureAudit(bench, bench.quick ? 20_000 : 1_000_000)

export const measureAudit = async ({ server, print, report }: Bench, payments: number): Promise<void> => {
  await using db = await createMigrated(server)
  const sql = connectForAudit(db.url)
  await using stack = new AsyncDisposableStack()
  stack.defer(() => sql.end({ timeout: 1 }))
  const keyring = openKeyring(SECRET_KEY)
  await insertPaidPayments(sql, keyring, payments)
  print(`${payments.toLocaleString('en')} payments are inserted`)

  const before = process.memoryUsage().rss
  let most = before
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 100)
  const began = performance.now()
  const findings = await audit(sql, kinds, {
    keyring,
    parallel: PARALLEL,
    onChecked: ({ what }, ms) => {
      if (ms > 500) print(`${(ms / 1_000).toFixed(1)} s: ${what}`)
    },
  })
  const seconds = (performance.now() - began) / 1_000
  clearInterval(watching)
  if (findings.length > 0) throw new Error(`the audit reports the inserted rows: ${JSON.stringify(findings)}`)
  const promise = `an audit of ${payments.toLocaleString('en')} payments`
  report.atMost(promise, seconds, 120, { as: figure => `${figure.toFixed(1)} s` })
  report.atMost(`${promise}, memory beyond that at its beginning`, (most - before) / 2 ** 20, 256, {
    as: figure => `${figure.toFixed(0)} MiB`,
  })
}

import { audit } from '../../src/audit/audit.ts'
import { connectForAudit, PARALLEL } from '../../src/audit/connection.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { SECRET_KEY } from './webhooks-instance.ts'

/** Runs an audit in a process of its own: `bun year-audit-program.ts <database url>`. Prints what it took as one line of JSON. */
const sql = connectForAudit(process.argv[2] ?? '')
await sql`select 1`
const before = process.memoryUsage().rss
let most = before
const watching = setInterval(() => {
  most = Math.max(most, process.memoryUsage().rss)
}, 50)
const began = performance.now()
const slow: [what: string, ms: number][] = []
const findings = await audit(sql, kinds, {
  ...{ keyring: openKeyring(SECRET_KEY), parallel: PARALLEL },
  onChecked: ({ what }, ms) => slow.push([what, ms]),
})
clearInterval(watching)
const slowest = slow.sort(([, one], [, other]) => other - one).slice(0, 5)
console.log(JSON.stringify({ findings, seconds: (performance.now() - began) / 1_000, before, most, slowest }))
process.exit(0)

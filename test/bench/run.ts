import { availableParallelism, cpus, totalmem } from 'node:os'
import { access } from './access.ts'
import { analytics } from './analytics.ts'
import { api } from './api.ts'
import { auditBench } from './audit.ts'
import type { Bench } from './bench.ts'
import { billing } from './billing.ts'
import { chain } from './chain.ts'
import { core } from './core.ts'
import { dashboard } from './dashboard.ts'
import { ops } from './ops.ts'
import { payments } from './payments.ts'
import { openReport } from './promises.ts'
import { retention } from './retention.ts'
import { openServer } from './server.ts'
import { streams } from './streams.ts'
import { web } from './web.ts'
import { webhooks } from './webhooks.ts'
import { year } from './year.ts'

/** Every bench by its name; `bun run bench` runs all, `bun run bench core` only one. */
const benches: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  core,
  access,
  api,
  chain,
  webhooks,
  payments,
  web,
  dashboard,
  streams,
  ops,
  audit: auditBench,
  billing,
  analytics,
  retention,
  year,
}

const asked = process.argv.slice(2)
const quick = asked.includes('--quick')
const names = asked.filter(word => word !== '--quick')
const unknown = names.find(name => !benches[name])
if (unknown !== undefined) {
  console.error(`There is no bench named ${unknown}: bun run bench [${Object.keys(benches).join(' | ')}] [--quick]`)
  process.exit(2)
}

const began = performance.now()
const print = (line: string) => console.log(line)
const report = openReport()
{
  await using server = await openServer({ used: !quick })
  print(
    `machine: ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Bun ${Bun.version}`,
  )
  print(`Postgres: ${server.about}`)
  for (const [name, bench] of Object.entries(benches)) {
    if (names.length > 0 && !names.includes(name)) continue
    await bench({ quick, server, report, print: line => print(`${seconds()} ${name}: ${line}`) })
  }
}
for (const line of report.lines) print(line)
print(`${report.missed} missed, ${seconds()}`)
process.exit(report.missed > 0 ? 1 : 0)

function seconds(): string {
  return `${((performance.now() - began) / 1_000).toFixed(0)} s`
}

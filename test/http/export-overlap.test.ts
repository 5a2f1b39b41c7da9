import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { exportRoutes } from '../../src/http/exports/routes.ts'
import { apiServer } from '../harness/api.ts'
import { noChains } from '../harness/no-chains.ts'
import { copyPayments, wide } from './export-calls.ts'
import { makePayment } from './payments.ts'
import { shop } from './people.ts'

test('Postgres has received the statement of the next rows before the records of the last ones are made', async () => {
  const program = fileURLToPath(new URL('export-fetch-program.ts', import.meta.url))
  /** Of the program that watches the export while this process makes its first record, and does nothing else. */
  let received: number | null | undefined
  let isExporting = false
  await using server = await apiServer({
    routes: exportRoutes,
    chains: outside => ({
      ...noChains(outside),
      find: () => {
        if (isExporting) received ??= spawnSync(process.execPath, [program, server.databaseUrl]).status
        return undefined
      },
    }),
  })
  const { api } = server
  const lamps = await shop(api)
  const { actor } = await makePayment(api, { merchantId: lamps.merchantId, livemode: false }, 'success')
  await copyPayments({ server }, actor, 119)
  isExporting = true
  const { bearer } = lamps.owner
  const { text } = await server.call('GET', `${lamps.path}/exports/payments.ndjson?${new URLSearchParams(wide)}`, {
    bearer,
  })
  expect(text.split('\n')).toHaveLength(120 + 1)
  expect(received).toBe(0)
}, 60_000)

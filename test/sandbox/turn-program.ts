import process from 'node:process'
import { databaseClock } from '../../src/clock.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { runInTurn } from '../../src/sandbox/simulate/turn.ts'

/** `<database url> <payment> <idempotency key>`: runs a scenario of the payment that never ends. */
const [databaseUrl = '', paymentId = '', idempotencyKey = ''] = process.argv.slice(2)
const sql = connect(databaseUrl, { max: 2 })
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const outside = { sql, clock: databaseClock(), random, log: openLog('silent') }
await runInTurn(outside, { paymentId, reorganizes: true, idempotencyKey }, async () => {
  process.stdout.write('acting\n')
  await new Promise(resolve => setTimeout(resolve, 3_600_000))
})

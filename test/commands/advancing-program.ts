import process from 'node:process'
import { openActors } from '../../src/actors/actors.ts'
import { passInvoiceTimesOf } from '../../src/chain/watch/invoice-times.ts'
import { databaseClock } from '../../src/clock.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { passSubscriptionTimers } from '../../src/server/subscription-loop.ts'
import { runTestClocks } from '../../src/server/test-clocks.ts'
import { SECRET_KEY } from '../harness/api.ts'

/**
 * Advances the test clocks until none has work left or it is killed: `<database url>`. Prints a line for each step, before
 * the clock moves on.
 */
const [databaseUrl = ''] = process.argv.slice(2)
const sql = connect(databaseUrl, { name: 'advancing', max: 4, byKey: true })
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const outside = { sql, clock: databaseClock(), random, log: openLog('silent') }
const services = { ...outside, actors: await openActors(outside, kinds), keyring: openKeyring(SECRET_KEY) }
const printStep = async () => {
  console.log('step')
  return 0
}
const renew = (_: unknown, testClockId: string) => passSubscriptionTimers(services, testClockId)
const share = () => ({ position: 0, count: 1 })
const { runOnce } = runTestClocks(services, { share, passes: [passInvoiceTimesOf, renew, printStep], batchSize: 8 })
while ((await runOnce()) > 0);
process.exit(0)

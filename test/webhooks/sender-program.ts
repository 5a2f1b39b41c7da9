import process from 'node:process'
import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { openSender } from '../../src/webhooks/sender.ts'
import '../harness/end-with-parent.ts'
import { keyring, loopbackPoster } from './loopback.ts'

/** A process that sends. AT names the moment at which it kills or stops itself, which could not be hit from outside. */
const { DATABASE_URL = '', AT, SENDER = '{}' } = process.env
const outside = {
  sql: connect(DATABASE_URL, { byKey: true, name: 'paymachine actors' }),
  clock: databaseClock(),
  random: (bytes: Uint8Array) => crypto.getRandomValues(bytes),
  log: openLog('silent'),
}
const poster = loopbackPoster()
let stopped = false
const pass = (moment: string) => {
  if (AT === `killed ${moment}`) process.kill(process.pid, 'SIGKILL')
  if (AT !== `stopped ${moment}` || stopped) return
  stopped = true
  process.kill(process.pid, 'SIGSTOP')
  // Any thread may receive the signal; until then this one must not continue.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
}
const world = { ...outside, actors: await openActors(outside, kinds) }
const sender = openSender(world, {
  keyring,
  poster: {
    close: poster.close,
    post: async given => {
      pass('before the request')
      const answer = poster.post(given)
      if (AT?.endsWith('during the request')) setTimeout(() => pass('during the request'), 200)
      const outcome = await answer
      pass('after the request')
      return outcome
    },
  },
  ...JSON.parse(SENDER),
})
process.on('SIGTERM', async () => {
  await sender.stop()
  process.exit(0)
})
console.log('sending')

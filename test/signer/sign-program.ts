import process from 'node:process'
import { openActors } from '../../src/actors/actors.ts'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { databaseClock } from '../../src/clock.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { openNamedLocks } from '../../src/signer/named-locks.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { checkSignersOfChain } from '../../src/signer/signer-checks.ts'
import type { SigningServices } from '../../src/signer/signing-services.ts'
import { SECRET_KEY } from '../harness/api.ts'

/** `<database url> <node url> <token> <step to be killed at> <refunds …>`: signs these refunds in parallel, or checks the signed ones. */
const [databaseUrl = '', nodeUrl = '', token = '', killAt, ...refunds] = process.argv.slice(2)
const sql = connect(databaseUrl, { max: 4, byKey: true })
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const outside = { sql, clock: databaseClock(), random, log: openLog('warn') }
const chain = sandboxChain({ token, feed: token, euroFeed: token })
const desk: SigningServices = {
  ...outside,
  actors: await openActors(outside, kinds),
  chains: connectChains([chain], () => [nodeUrl], outside),
  keyring: openKeyring(SECRET_KEY),
  sandbox: undefined,
  onStep: step => {
    if (step === killAt) process.kill(process.pid, 'SIGKILL')
  },
}
const turns = openNamedLocks()
const times = { resendMs: 0, bumpMs: refunds[1] === 'impatiently' ? 0 : 3_600_000 }
if (refunds[0] === 'tend')
  for (const connected of desk.chains.all) await checkSignersOfChain(desk, turns, connected, { untouchedMs: 0, times })
else await Promise.all(refunds.map(id => signRefund(desk, turns, id)))
process.exit(0)

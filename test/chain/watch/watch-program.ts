import process from 'node:process'
import { openActors } from '../../../src/actors/actors.ts'
import { watchRefunds } from '../../../src/chain/refunds/watch.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { openTransactions } from '../../../src/chain/watch/transactions.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { databaseClock } from '../../../src/clock.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { openLog } from '../../../src/log.ts'
import { connect } from '../../../src/postgres/connect.ts'

/** Watches one chain and the refunds on it until it is killed: `<database url> <node url> <token> <confirmations>`. */
const [databaseUrl = '', nodeUrl = '', token = '', confirmations = '3'] = process.argv.slice(2)
const sql = connect(databaseUrl, { name: 'watcher', max: 4, byKey: true })
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const outside = { sql, clock: databaseClock(), random, log: openLog('error') }
const world = { ...outside, actors: await openActors(outside, kinds) }
const rpc = openRpc({ chainId: 31337, urls: [nodeUrl] }, world)
const source = openSource(rpc, [token])
const chain = { id: 31337, tokens: [token], confirmations: Number(confirmations), pollMs: 10, source }
const share = () => ({ position: 0, count: 1 })
watchChains(world, { chains: [chain], share })
watchRefunds(world, { chains: [{ id: chain.id, pollMs: 10, transactions: openTransactions(rpc) }], share })
console.log('watching')

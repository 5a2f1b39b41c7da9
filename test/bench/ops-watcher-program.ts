import { addTransitions } from '../../src/actors/machine-sums.ts'
import { openTransitionStreams } from '../../src/http/transition-streams.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { readEvents } from '../../src/web/api/sse.ts'
import type { WatcherCounts } from './ops-cost.ts'

/**
 * What a server does for one operator, in a process of its own: `bun ops-watcher-program.ts <database>`. `/start` begins with
 * what is committed from now on, `/stop` ends. Prints the port of its controls.
 */
const sql = connect(process.argv[2] ?? '', { max: 4 })
const sessionId = crypto.randomUUID()
const accountId = crypto.randomUUID()
await sql`insert into accounts (id, email, password_hash, operator) values (${accountId}, 'ops@example.com', 'none', true)`
await sql`
  insert into sessions (id, account_id, token_hash, address, network, user_agent)
  values (${sessionId}, ${accountId}, ${crypto.getRandomValues(new Uint8Array(32))}, '127.0.0.1', '127.0.0.1', 'bench')`
const counts = { counted: 0, streamed: 0 }
let running: { readonly stop: () => void; readonly ended: Promise<unknown> } | undefined

const PAGE = 5_000
const EVERY_MS = 500

const count = async (signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const added = await addTransitions(sql, PAGE)
    counts.counted += added
    if (added < PAGE) await Bun.sleep(EVERY_MS)
  }
}

const start = async () => {
  await sql`
    update feed_cursors c set era = t.era, xid = t.xid, seq = t.seq
    from (select era, xid, seq from transitions order by era desc, xid desc, seq desc limit 1) t
    where c.reader = 'machines'`
  const streams = openTransitionStreams({ sql, log: openLog('silent'), chains: { find: () => undefined } as never })
  const none = { kind: undefined, event: undefined, state: undefined, actor: undefined, merchantId: undefined }
  const stream = await streams.open({ sessionId, hasSecondFactor: false, filter: none }, null)
  const stopping = new AbortController()
  const read = async () => {
    for await (const message of readEvents(stream)) if (message) counts.streamed++
  }
  const ended = Promise.all([read(), count(stopping.signal)])
  const stop = () => {
    streams.stop()
    stopping.abort()
  }
  running = { stop, ended }
}

const controls = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  fetch: async request => {
    const { pathname } = new URL(request.url)
    if (pathname === '/start') await start()
    if (pathname === '/stop') {
      running?.stop()
      await running?.ended
    }
    return Response.json(counts satisfies WatcherCounts)
  },
})
console.log(controls.port)

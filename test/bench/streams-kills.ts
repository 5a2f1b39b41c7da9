import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import { perSecond, thousands } from './promises.ts'
import { startReader } from './streams-reader.ts'
import { allDelivered, positionOf, settle } from './streams-settle.ts'
import type { StreamShop } from './streams-shop.ts'
import type { KilledSizes } from './streams-sizes.ts'
import type { WatchedStream } from './streams-watched.ts'
import { startWriter } from './streams-writer.ts'

type KilledTask = { readonly sizes: KilledSizes; readonly watched: WatchedStream }

/** The process that serves a stream is killed while another one commits changes. */
export const promiseKilledStreams = async (
  { print, report }: Bench,
  shop: StreamShop,
  { sizes: { kills, killedMessages, killedPerSecond }, watched }: KilledTask,
): Promise<void> => {
  await using reader = await startReader(shop, watched.path)
  // Changes between this position and the opening of the stream would not be sent.
  await allDelivered(shop)
  const after = await positionOf(shop)
  await reader.open()
  const began = performance.now()
  {
    const { changesOfPayment } = watched
    const rate = { perSecond: killedPerSecond, changesOfPayment }
    const options = { ...rate, changes: Number.MAX_SAFE_INTEGER, first: 10_000_000 }
    await using _writer = await startWriter(shop, options)
    const received = async (count: number) =>
      until(async () => (await reader.counts()).messages >= count, {
        timeoutMs: 600_000,
        everyMs: 50,
        what: `${count} messages`,
      })
    for (let n = 1; n <= kills; n++) {
      await received((killedMessages * n) / (kills + 1))
      await shop.kill()
      print(`killed after ${thousands((await reader.counts()).messages)} messages`)
      await until(async () => (await reader.counts()).connections > n, { everyMs: 50, what: 'a new connection' })
    }
    await received(killedMessages)
  }
  const tookMs = performance.now() - began
  const { messages, expected, missing, doubled, repeated, wrong, faults } = await settle(shop, reader, {
    after,
    history: watched.history,
  })
  const { connections, resets } = await reader.counts()
  print(
    `${perSecond((messages / tookMs) * 1_000)}, ${connections} connections, ${repeated} creations of deliveries repeated`,
  )
  report.judge(
    `${watched.name}: ${thousands(killedMessages)} messages over ${kills} kills of the process that serves them, compared with the tables`,
    missing + doubled + wrong + resets === 0 && messages === expected + repeated && connections > kills,
    `${thousands(messages)} messages for ${thousands(expected)} changes, ${missing} missing, ${doubled} doubled, ${wrong} wrong ${faults.join('; ')}`.trim(),
    'none missing, doubled or wrong',
  )
}

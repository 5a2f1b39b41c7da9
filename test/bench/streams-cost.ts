import { encodeId } from '../../src/ids.ts'
import type { Bench } from './bench.ts'
import { callFor, inTurns } from './callers.ts'
import { openHttp } from './http.ts'
import { median, perSecond } from './promises.ts'
import type { StreamSizes } from './streams.ts'
import { startReader } from './streams-reader.ts'
import type { StreamShop } from './streams-shop.ts'
import type { WatchedStream } from './streams-watched.ts'
import { startWriter } from './streams-writer.ts'

const CALLERS = 32

type CostTask = { readonly sizes: StreamSizes; readonly watched: WatchedStream }

/** How many payments are read in a second while a client reads the stream, and while none does; the changes go on. */
export const promiseStreamCost = async (
  { print, report }: Bench,
  shop: StreamShop,
  { sizes: { perSecond: rate, pairs, sliceMs }, watched }: CostTask,
): Promise<void> => {
  await using reader = await startReader(shop, watched.path)
  await using ask = openHttp(shop.url)
  await using _writer = await startWriter(shop, {
    perSecond: rate,
    changesOfPayment: watched.changesOfPayment,
    changes: Number.MAX_SAFE_INTEGER,
    first: 20_000_000,
  })
  const requests = shop.paid.map(id =>
    Buffer.from(
      `GET /v1/payments/${encodeId('pay', id)} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${shop.apiKey}\r\n\r\n`,
    ),
  )
  let next = 0
  const read = () => ask(requests[next++ % requests.length] ?? Buffer.alloc(0), 200)
  const without = async () => (await callFor(CALLERS, sliceMs, read)).perSecond
  const withStream = async () => {
    await reader.open()
    const load = await callFor(CALLERS, sliceMs, read)
    await reader.close()
    return load.perSecond
  }
  // Until the code is compiled.
  await inTurns(3, without, withStream)
  const rates = await inTurns(pairs, without, withStream)
  const { messages, connections } = await reader.counts()
  const [alone, streamed] = [median(rates.map(([one]) => one)), median(rates.map(([, other]) => other))]
  print(
    `reads ${perSecond(alone)}, with the stream ${perSecond(streamed)}, which brought ${messages} messages in ${connections} connections`,
  )
  const cost = 1 - median(rates.map(([one, other]) => other / one))
  report.atMost(`what the stream costs of the reads of payments, callers ${CALLERS}`, cost, 0.1, {
    as: figure => `${(100 * figure).toFixed(1)} %`,
    from: `${perSecond(streamed)} against ${perSecond(alone)}`,
  })
}

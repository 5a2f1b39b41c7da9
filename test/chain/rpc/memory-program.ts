import '../../harness/end-with-parent.ts'
import { randomFillSync } from 'node:crypto'
import process from 'node:process'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { RpcFault } from '../../../src/chain/rpc/rpc.ts'
import { manualClock } from '../../../src/clock.ts'
import { openLog } from '../../../src/log.ts'

/** Asks a node eleven times and prints how much memory it needed since the first. */
const clock = manualClock()
const rpc = openRpc(
  { chainId: 31_337, urls: [process.argv[2] ?? ''] },
  { clock, log: openLog('silent'), random: bytes => randomFillSync(bytes) },
)
const blocks = Array.from({ length: 5 }, (_, at) => ({ method: 'eth_getBlockByNumber', params: [`0x${at}`, false] }))

const isFaultAgain = async (timeoutMs: number): Promise<boolean> => {
  clock.advance(3_600_000)
  const outcome = await rpc.batch(blocks, { timeoutMs }).catch((error: unknown) => error)
  return outcome instanceof RpcFault
}

// Compressing the answer takes the node seconds, once.
await isFaultAgain(30_000)
Bun.gc(true)
const before = process.memoryUsage().rss
let peak = before
const watching = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss)
}, 1)
let faults = 0
for (let round = 0; round < 10; round++) faults += Number(await isFaultAgain(10_000))
clearInterval(watching)
console.log(JSON.stringify({ faults, mib: (peak - before) / 2 ** 20 }))
process.exit(0)

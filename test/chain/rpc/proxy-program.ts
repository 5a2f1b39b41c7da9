import '../../harness/end-with-parent.ts'
import { randomFillSync } from 'node:crypto'
import process from 'node:process'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { baseSepolia } from '../../../src/chain/known/base.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { manualClock } from '../../../src/clock.ts'
import { openLog } from '../../../src/log.ts'
import { sandboxContracts } from '../../../src/sandbox/contracts.ts'

/** Asks a node for the head of a chain: `<chain id> <node url> <proxy url or nothing>`. */
const [chainId = '', nodeUrl = '', proxy] = process.argv.slice(2)
const outside = { clock: manualClock(), log: openLog('silent'), random: (bytes: Uint8Array) => randomFillSync(bytes) }
const chains = connectChains([baseSepolia, sandboxChain(sandboxContracts)], () => [nodeUrl], outside, proxy)
const answers = await chains.find(Number(chainId))?.rpc.batch([{ method: 'eth_blockNumber', params: [] }])
console.log(String(answers?.[0]))
process.exit(0)

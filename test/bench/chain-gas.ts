import type { Hex } from 'viem'
import { planSweeps } from '../../src/chain/collect/plan.ts'
import { forwarderOf, saltOf } from '../../src/chain/forwarder.ts'
import { openRpc } from '../../src/chain/rpc/open.ts'
import { databaseClock } from '../../src/clock.ts'
import { openLog } from '../../src/log.ts'
import { random } from '../access/keys.ts'
import { type FactoryChain, factoryChain, stuckIn } from '../chain/contracts/chain.ts'
import type { Bench } from './bench.ts'
import type { ChainSizes } from './chain.ts'
import { CHAIN_ID } from './chain-instance.ts'
import { addressOf } from './chain-node.ts'
import { thousands } from './promises.ts'

/** The gas for collecting from addresses that were never collected from: the same at every run. */
export const promiseGas = async ({ print, report }: Bench, { collected }: ChainSizes): Promise<void> => {
  await using chain = await factoryChain()
  const outside = { clock: databaseClock(), random, log: openLog('silent') }
  const rpc = openRpc({ chainId: CHAIN_ID, urls: [chain.url] }, outside)
  const token = await chain.deploy('good-token')
  const first = await collect(chain, rpc.batch, token, collected)
  const again = await collect(chain, rpc.batch, token, collected)
  rpc.close()
  print(`for information, the same addresses collected again: ${thousands(again)} gas each`)
  const promise = `gas for each of ${collected} new addresses, collected in one transaction`
  report.atMost(promise, first, 60_000, { as: thousands, from: `${thousands(again)} when they are not new` })
}

/** The gas used per address, with the plan that the service makes. */
const collect = async (
  chain: FactoryChain,
  ask: Parameters<typeof planSweeps>[0],
  token: Hex,
  count: number,
): Promise<number> => {
  const treasury = addressOf('treasury')
  const salts = Array.from({ length: count }, (_, at) => saltOf(new Uint8Array(32).fill(7), at + 1))
  await chain.mint(token, salts.map(forwarderOf(treasury)), 1_000n)
  const { sweeps, leftOut } = await planSweeps(
    ask,
    treasury,
    salts.map(salt => ({ salt, tokens: [token] })),
  )
  const [sweep, ...more] = sweeps
  if (!sweep || more.length > 0 || leftOut.length > 0) throw new Error(`${count} addresses are not one transaction`)
  const before = await chain.tokenBalance(token, treasury)
  const receipt = await chain.send(sweep.to, sweep.data, { gas: sweep.gasLimit })
  const moved = (await chain.tokenBalance(token, treasury)) - before
  if (stuckIn(receipt).length > 0 || moved !== 1_000n * BigInt(count)) throw new Error('not all was collected')
  return Number(receipt.gasUsed) / count
}

import { expect, test } from 'bun:test'
import { sandboxChain, sandboxId } from '../../src/chain/known/sandbox.ts'
import { knownChains } from '../../src/chain/known/table.ts'
import { openRpc } from '../../src/chain/rpc/open.ts'
import { manualClock } from '../../src/clock.ts'
import { openLog } from '../../src/log.ts'
import { chainStates, watchedOf } from '../../src/server/background-services.ts'
import { type AnswerChange, changedNode, testChain } from '../chain/watch/test-node.ts'
import { until } from '../harness/until.ts'

test('every real chain must have blocks at its pace, and the sandbox only while something waits to be mined', () => {
  const contracts = { token: `0x${'1'.repeat(40)}`, feed: `0x${'2'.repeat(40)}`, euroFeed: `0x${'3'.repeat(40)}` }
  const outside = { clock: manualClock(), random: crypto.getRandomValues.bind(crypto), log: openLog('silent') }
  for (const chain of [...knownChains, sandboxChain(contracts)]) {
    const { blockMs } = watchedOf({ chain, rpc: openRpc({ chainId: chain.id, urls: [] }, outside) })
    expect(blockMs).toBe(chain.id === sandboxId ? undefined : chain.blockMs)
  }
})

test('one of two nodes that stopped is reported, one of three is not', async () => {
  await using anvil = await testChain()
  await anvil.mine(20)
  let lag = 0
  const lagging: AnswerChange = ({ method }, answer) =>
    method === 'eth_blockNumber' ? `0x${(Number(answer) - lag).toString(16)}` : answer
  await using slow = await changedNode(anvil.url, lagging)
  await using third = await changedNode(anvil.url, (_, answer) => answer)
  const clock = manualClock()
  const outside = { clock, random: crypto.getRandomValues.bind(crypto), log: openLog('silent') }
  const chain = sandboxChain({ token: anvil.token, feed: anvil.token, euroFeed: anvil.token })
  const stateOf = (...urls: string[]) => {
    const rpc = openRpc({ chainId: 31337, urls }, outside)
    const chains = { all: [{ chain, rpc }], quotes: { feeds: () => [] } }
    return async () => {
      // They are compared every ten seconds.
      clock.advance(11_000)
      await rpc.both([{ method: 'eth_blockNumber', params: [] }], () => 0)
      return chainStates(chains as never)[31337]
    }
  }
  const [two, three] = [stateOf(anvil.url, slow.url), stateOf(anvil.url, slow.url, third.url)]
  expect([await two(), await three()]).toEqual(['ok', 'ok'])
  lag = 10
  await until(async () => (await two()) === 'one of two nodes is behind: check it, or name another one')
  for (let turns = 0; turns < 5; turns++) expect(await three()).toBe('ok')
  lag = 0
  await until(async () => (await two()) === 'ok')
})

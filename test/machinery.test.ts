import { expect, test } from 'bun:test'
import { sandboxChain, sandboxId } from '../src/chain/known/sandbox.ts'
import { knownChains } from '../src/chain/known/table.ts'
import { openRpc } from '../src/chain/rpc/open.ts'
import { manualClock } from '../src/clock.ts'
import { openLog } from '../src/log.ts'
import { watchedOf } from '../src/machinery.ts'

test('every real chain is expected to have blocks at its pace, and the sandbox only when there is something to put in', () => {
  const contracts = { token: `0x${'1'.repeat(40)}`, feed: `0x${'2'.repeat(40)}`, euroFeed: `0x${'3'.repeat(40)}` }
  const outside = { clock: manualClock(), random: crypto.getRandomValues.bind(crypto), log: openLog('silent') }
  for (const chain of [...knownChains, sandboxChain(contracts)]) {
    const { blockMs } = watchedOf({ chain, rpc: openRpc({ chainId: chain.id, urls: [] }, outside) })
    expect(blockMs).toBe(chain.id === sandboxId ? undefined : chain.blockMs)
  }
})

import { expect, test } from 'bun:test'
import { RpcRefusal } from '../../../src/chain/rpc/rpc.ts'
import { orPruned } from '../../../src/chain/watch/native/pruned-states.ts'

const LIMIT_EXCEEDED = -32005

/** The result for a state when the calls are answered in this way. */
const found = (isAnswered: (asked: 'old' | 'newer', call: number) => boolean, code = -32000): Promise<string> => {
  let calls = 0
  const ask = (asked: 'old' | 'newer') => async () => {
    if (!isAnswered(asked, calls++)) throw new RpcRefusal('eth_getBalance', code)
    return 'answered'
  }
  return orPruned(ask('old'), ask('newer')).catch(error => {
    expect(error).toBeInstanceOf(RpcRefusal)
    return 'refused'
  })
}

test('a state counts as pruned when it is always refused and a newer one never', async () => {
  expect(await found(asked => asked === 'newer')).toBe('pruned')
})

test('no state counts as pruned at a node that refuses every call or reports a rate limit', async () => {
  expect(await found(() => false)).toBe('refused')
  expect(await found(asked => asked === 'newer', LIMIT_EXCEEDED)).toBe('refused')
})

test.each([1, 2, 3, 4, 5])('a state answered after %d calls does not count as pruned', async calls => {
  expect(await found((asked, call) => asked === 'newer' || call >= calls - 1)).toBe('answered')
})

test('a rate-limited node never makes a state look pruned, whatever the rate', async () => {
  for (let percent = 0; percent < 100; percent++)
    for (let start = 0; start < 1; start += 0.05) {
      const tokensBy = (call: number) => Math.floor(start + (call * percent) / 100)
      const result = await found((_, call) => tokensBy(call + 1) > tokensBy(call))
      expect({ percent, start, result }).not.toEqual({ percent, start, result: 'pruned' })
    }
})

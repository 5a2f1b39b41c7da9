import { expect, test } from 'bun:test'
import type { Chain, Feed } from '../../../src/chain/chain.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { knownChains } from '../../../src/chain/known/table.ts'
import { openJumpCheck } from '../../../src/chain/quotes/jump-check.ts'
import { chainRejection, checkRound } from '../../../src/chain/quotes/price-checks.ts'
import type { Round } from '../../../src/chain/quotes/read-feeds.ts'

const feed: Feed = { address: '0x', pair: 'ETH / USD', heartbeatS: 1_200 }
const base = knownChains.find(({ id }) => id === 8453) ?? never()
const ethereum = knownChains.find(({ id }) => id === 1) ?? never()
const sandbox = sandboxChain({ token: '0x', feed: '0x', euroFeed: '0x' })
const nowS = 1_800_000_000n

function never(): never {
  throw new Error('The chain is not known')
}

const good: Round = { answer: 2_500n, startedS: nowS, updatedS: nowS - 10n, decimals: 8, description: 'ETH / USD' }

const rounds: readonly (readonly [string, Partial<Round>, string])[] = [
  ['a fresh answer', {}, 'accepted'],
  ['an answer of zero', { answer: 0n }, 'not_positive'],
  ['a negative answer', { answer: -1n }, 'not_positive'],
  ['an answer that was never updated', { updatedS: 0n }, 'never_updated'],
  ['an answer a minute from the future', { updatedS: nowS + 60n }, 'accepted'],
  ['an answer from the future', { updatedS: nowS + 61n }, 'from_the_future'],
  ['the largest possible update time', { updatedS: 2n ** 256n - 1n }, 'from_the_future'],
  ['an answer as old as its heartbeat and the slack', { updatedS: nowS - 1_500n }, 'accepted'],
  ['an answer a second older', { updatedS: nowS - 1_501n }, 'stale'],
  ['another pair', { description: 'BTC / USD' }, 'other_pair'],
  ['a pair without spaces in lower case', { description: 'eth/usd' }, 'accepted'],
  ['an empty pair', { description: '' }, 'other_pair'],
]

for (const [name, change, expected] of rounds)
  test(`${name}: ${expected}`, () => {
    const verdict = checkRound(ethereum, feed, { ...good, ...change }, nowS, nowS)
    expect('accepted' in verdict ? 'accepted' : verdict.rejected).toBe(expected as 'stale')
  })

test('an unreadable answer of an aggregator is rejected', () => {
  expect(checkRound(ethereum, feed, undefined, nowS, nowS)).toEqual({ rejected: 'unreadable' })
})

test('an aggregator with the old name MATIC is accepted for POL', () => {
  const pol = { ...feed, pair: 'POL / USD' }
  expect(checkRound(ethereum, pol, { ...good, description: 'MATIC / USD' }, nowS, nowS)).toHaveProperty('accepted')
})

test('a price becomes stale although the chain has no new blocks', () => {
  const old = { ...good, updatedS: nowS - 1_600n }
  expect(checkRound(ethereum, feed, old, nowS - 200n, nowS)).toEqual({ rejected: 'stale' })
})

const heads: readonly (readonly [string, Chain, bigint, string | undefined])[] = [
  ['of now', ethereum, nowS, undefined],
  ['a minute ahead', ethereum, nowS + 60n, undefined],
  ['further ahead', ethereum, nowS + 61n, 'ahead'],
  ['five minutes old on a chain of 2 s', { ...base, sequencerFeed: null }, nowS - 300n, undefined],
  ['older than that', { ...base, sequencerFeed: null }, nowS - 301n, 'behind'],
  ['of a day ago on the sandbox, which mines on demand', sandbox, nowS - 86_400n, undefined],
  ['of tomorrow on the sandbox, where a test moved the clock', sandbox, nowS + 86_400n, undefined],
]

for (const [name, chain, headS, expected] of heads)
  test(`a head ${name} is ${expected ?? 'accepted'}`, () => {
    expect(chainRejection(chain, { headS, rounds: new Map(), sequencer: undefined }, nowS)).toBe(expected as undefined)
  })

const sequencers: readonly (readonly [string, { answer: bigint; startedS: bigint } | undefined, string | undefined])[] =
  [
    ['up for an hour', { answer: 0n, startedS: nowS - 3_600n }, undefined],
    ['up for less', { answer: 0n, startedS: nowS - 3_599n }, 'sequencer'],
    ['down', { answer: 1n, startedS: nowS - 86_400n }, 'sequencer'],
    ['in a round that has not started', { answer: 0n, startedS: 0n }, 'sequencer'],
    ['without an answer', undefined, 'sequencer'],
  ]

for (const [name, sequencer, expected] of sequencers)
  test(`prices of a chain whose sequencer is ${name} are ${expected ? 'rejected' : 'accepted'}`, () => {
    expect(chainRejection(base, { headS: nowS, rounds: new Map(), sequencer }, nowS)).toBe(expected as undefined)
  })

const dollars = (whole: bigint) => ({ numerator: whole, denominator: 1n })
const minute = 60_000

test('a price far from the last one is accepted after it has stayed for ten minutes', () => {
  const jumps = openJumpCheck(20n)
  expect(jumps.check(dollars(2_500n), 0)).toHaveProperty('accepted')
  expect(jumps.check(dollars(2_900n), minute)).toHaveProperty('accepted')
  expect(jumps.check(dollars(1_000n), 2 * minute)).toEqual({ rejected: 'jumped' })
  expect(jumps.check(dollars(1_050n), 11 * minute)).toEqual({ rejected: 'jumped' })
  expect(jumps.check(dollars(1_050n), 12 * minute)).toHaveProperty('accepted')
  expect(jumps.check(dollars(1_000n), 13 * minute)).toHaveProperty('accepted')
})

test('half and double of a price are equally far', () => {
  for (const [to, expected] of [
    [3_000n, 'accepted'],
    [3_001n, 'rejected'],
    [2_084n, 'accepted'],
    [2_083n, 'rejected'],
  ] as const) {
    const jumps = openJumpCheck(20n)
    jumps.check(dollars(2_500n), 0)
    expect(jumps.check(dollars(to), minute)).toHaveProperty(expected)
  }
})

test('a short jump has no effect', () => {
  const jumps = openJumpCheck(20n)
  jumps.check(dollars(2_500n), 0)
  expect(jumps.check(dollars(25n), minute)).toEqual({ rejected: 'jumped' })
  expect(jumps.check(dollars(2_490n), 2 * minute)).toHaveProperty('accepted')
  expect(jumps.check(dollars(25n), 12 * minute)).toEqual({ rejected: 'jumped' })
})

test('prices that keep jumping are never accepted', () => {
  const jumps = openJumpCheck(20n)
  jumps.check(dollars(2_500n), 0)
  for (let at = 1; at < 50; at++)
    expect(jumps.check(dollars(at % 2 ? 100n : 10_000n), at * minute)).toEqual({ rejected: 'jumped' })
})

test('after a wrong price the correct one is rejected for ten minutes, also when the clock is set back', () => {
  const jumps = openJumpCheck(20n)
  jumps.check(dollars(2_500_000n), 600 * minute)
  expect(jumps.check(dollars(2_500n), 601 * minute)).toEqual({ rejected: 'jumped' })
  expect(jumps.check(dollars(2_500n), 541 * minute)).toEqual({ rejected: 'jumped' })
  expect(jumps.check(dollars(2_500n), 550 * minute)).toEqual({ rejected: 'jumped' })
  expect(jumps.check(dollars(2_500n), 551 * minute)).toHaveProperty('accepted')
})

test('a price is not compared with one from an hour ago', () => {
  const jumps = openJumpCheck(20n)
  jumps.check(dollars(2_500n), 0)
  expect(jumps.check(dollars(1_000n), 61 * minute)).toHaveProperty('accepted')
})

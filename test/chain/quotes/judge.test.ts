import { expect, test } from 'bun:test'
import type { Chain, Feed } from '../../../src/chain/chain.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { knownChains } from '../../../src/chain/known/table.ts'
import { openBelief } from '../../../src/chain/quotes/belief.ts'
import { doubtAbout, judgeRound } from '../../../src/chain/quotes/judge.ts'
import type { Round } from '../../../src/chain/quotes/read-feeds.ts'

const feed: Feed = { address: '0x', pair: 'ETH / USD', heartbeatS: 1_200 }
const base = knownChains.find(({ id }) => id === 8453) ?? never()
const ethereum = knownChains.find(({ id }) => id === 1) ?? never()
const sandbox = sandboxChain({ token: '0x', feed: '0x', euroFeed: '0x' })
const nowS = 1_800_000_000n

function never(): never {
  throw new Error('not in the table')
}

const good: Round = { answer: 2_500n, startedS: nowS, updatedS: nowS - 10n, decimals: 8, description: 'ETH / USD' }

const rounds: readonly (readonly [string, Partial<Round>, string])[] = [
  ['a fresh answer', {}, 'believed'],
  ['an answer of zero', { answer: 0n }, 'not_positive'],
  ['a negative answer', { answer: -1n }, 'not_positive'],
  ['an answer that was never updated', { updatedS: 0n }, 'never_updated'],
  ['an answer a minute from the future', { updatedS: nowS + 60n }, 'believed'],
  ['an answer from the future', { updatedS: nowS + 61n }, 'from_the_future'],
  ['an answer of the end of time', { updatedS: 2n ** 256n - 1n }, 'from_the_future'],
  ['an answer as old as its heartbeat and the slack', { updatedS: nowS - 1_500n }, 'believed'],
  ['an answer a second older', { updatedS: nowS - 1_501n }, 'stale'],
  ['another pair', { description: 'BTC / USD' }, 'other_pair'],
  ['a pair spelled closer', { description: 'eth/usd' }, 'believed'],
  ['no name', { description: '' }, 'other_pair'],
]

for (const [name, change, expected] of rounds)
  test(`${name}: ${expected}`, () => {
    const verdict = judgeRound(ethereum, feed, { ...good, ...change }, nowS, nowS)
    expect('believed' in verdict ? 'believed' : verdict.refused).toBe(expected as 'stale')
  })

test('an aggregator that gave no answer we can read is not believed', () => {
  expect(judgeRound(ethereum, feed, undefined, nowS, nowS)).toEqual({ refused: 'unreadable' })
})

test('MATIC is the old name of POL', () => {
  const pol = { ...feed, pair: 'POL / USD' }
  expect(judgeRound(ethereum, pol, { ...good, description: 'MATIC / USD' }, nowS, nowS)).toHaveProperty('believed')
})

test('a chain that stands still does not keep a price fresh', () => {
  const old = { ...good, updatedS: nowS - 1_600n }
  expect(judgeRound(ethereum, feed, old, nowS - 200n, nowS)).toEqual({ refused: 'stale' })
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
  test(`a head ${name} is ${expected ?? 'taken'}`, () => {
    expect(doubtAbout(chain, { headS, rounds: new Map(), sequencer: undefined }, nowS)).toBe(expected as undefined)
  })

const sequencers: readonly (readonly [string, { answer: bigint; startedS: bigint } | undefined, string | undefined])[] =
  [
    ['up for an hour', { answer: 0n, startedS: nowS - 3_600n }, undefined],
    ['up for less', { answer: 0n, startedS: nowS - 3_599n }, 'sequencer'],
    ['down', { answer: 1n, startedS: nowS - 86_400n }, 'sequencer'],
    ['in a round that did not begin', { answer: 0n, startedS: 0n }, 'sequencer'],
    ['silent', undefined, 'sequencer'],
  ]

for (const [name, sequencer, expected] of sequencers)
  test(`prices of a chain whose sequencer is ${name} are ${expected ? 'refused' : 'taken'}`, () => {
    expect(doubtAbout(base, { headS: nowS, rounds: new Map(), sequencer }, nowS)).toBe(expected as undefined)
  })

const dollars = (whole: bigint) => ({ numerator: whole, denominator: 1n })
const minute = 60_000

test('an answer far from the last one is believed only once it has stood for ten minutes', () => {
  const belief = openBelief(20n)
  expect(belief.weigh(dollars(2_500n), 0)).toHaveProperty('believed')
  expect(belief.weigh(dollars(2_900n), minute)).toHaveProperty('believed')
  expect(belief.weigh(dollars(1_000n), 2 * minute)).toEqual({ refused: 'jumped' })
  expect(belief.weigh(dollars(1_050n), 11 * minute)).toEqual({ refused: 'jumped' })
  expect(belief.weigh(dollars(1_050n), 12 * minute)).toHaveProperty('believed')
  expect(belief.weigh(dollars(1_000n), 13 * minute)).toHaveProperty('believed')
})

test('halving is as far as doubling', () => {
  for (const [to, expected] of [
    [3_000n, 'believed'],
    [3_001n, 'refused'],
    [2_084n, 'believed'],
    [2_083n, 'refused'],
  ] as const) {
    const belief = openBelief(20n)
    belief.weigh(dollars(2_500n), 0)
    expect(belief.weigh(dollars(to), minute)).toHaveProperty(expected)
  }
})

test('a jump that goes away again changes nothing', () => {
  const belief = openBelief(20n)
  belief.weigh(dollars(2_500n), 0)
  expect(belief.weigh(dollars(25n), minute)).toEqual({ refused: 'jumped' })
  expect(belief.weigh(dollars(2_490n), 2 * minute)).toHaveProperty('believed')
  expect(belief.weigh(dollars(25n), 12 * minute)).toEqual({ refused: 'jumped' })
})

test('answers that jump about are never believed for standing long', () => {
  const belief = openBelief(20n)
  belief.weigh(dollars(2_500n), 0)
  for (let at = 1; at < 50; at++)
    expect(belief.weigh(dollars(at % 2 ? 100n : 10_000n), at * minute)).toEqual({ refused: 'jumped' })
})

test('what was wrong once keeps what is true out for ten minutes, of a clock that is set back too', () => {
  const belief = openBelief(20n)
  belief.weigh(dollars(2_500_000n), 600 * minute)
  expect(belief.weigh(dollars(2_500n), 601 * minute)).toEqual({ refused: 'jumped' })
  expect(belief.weigh(dollars(2_500n), 541 * minute)).toEqual({ refused: 'jumped' })
  expect(belief.weigh(dollars(2_500n), 550 * minute)).toEqual({ refused: 'jumped' })
  expect(belief.weigh(dollars(2_500n), 551 * minute)).toHaveProperty('believed')
})

test('what was believed an hour ago is forgotten', () => {
  const belief = openBelief(20n)
  belief.weigh(dollars(2_500n), 0)
  expect(belief.weigh(dollars(1_000n), 61 * minute)).toHaveProperty('believed')
})

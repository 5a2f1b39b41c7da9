import type { Dependencies } from '../../dependencies.ts'
import type { Chain } from '../chain.ts'
import type { Price } from './amount.ts'
import { isBehind, type PriceDoubt, type PriceVerdict } from './judge.ts'
import { type FeedNodes, readFeeds } from './read-feeds.ts'
import { openVerdicts, secondsOf } from './verdicts.ts'

/** What the aggregators of a chain were last found to say, by the pair. */
export type ChainPrices = ReadonlyMap<string, Price>

export type FeedState = { readonly chainId: number; readonly pair: string; readonly state: 'believed' | PriceDoubt }

export type Prices = {
  /** Read now, or a few seconds ago. Never throws: what cannot be believed is not in it. */
  read(): Promise<ChainPrices>
  /** For people: nothing before the first reading. */
  states(): readonly FeedState[]
}

export const openPrices = (
  chain: Chain,
  rpc: FeedNodes,
  { clock, log }: Pick<Dependencies, 'clock' | 'log'>,
): Prices => {
  const judge = openVerdicts(chain)
  let states: readonly FeedState[] = []
  let reading: { readonly prices: Promise<ChainPrices>; doneMs: number | null } | undefined
  const now = () => clock.now().getTime()

  const readNow = async (): Promise<ChainPrices> => {
    const told = await readFeeds(rpc, chain, headS => isBehind(chain, headS, secondsOf(now()))).catch(err => {
      log.error({ chain: chain.id, err }, 'price feeds not read, retrying')
      return 'unreachable' as const
    })
    const verdicts = [...judge(told, now())]
    const stateOf = (verdict: PriceVerdict) => ('believed' in verdict ? 'believed' : verdict.refused)
    note(verdicts.map(([{ pair }, verdict]) => ({ chainId: chain.id, pair, state: stateOf(verdict) })))
    return new Map(
      verdicts.flatMap(([feed, verdict]) => ('believed' in verdict ? [[feed.pair, verdict.believed]] : [])),
    )
  }

  /** To the log, whatever has changed. */
  const note = (found: readonly FeedState[]) => {
    for (const [n, { pair, state }] of found.entries()) {
      const before = states[n]?.state ?? 'believed'
      if (state === before) continue
      if (state === 'believed') log.info({ chain: chain.id, pair }, 'price accepted again')
      else log.warn({ chain: chain.id, pair, reason: state }, 'price rejected')
    }
    states = found
  }

  const prices: Prices = {
    states: () => {
      // Whoever reads of a trouble reads soon when it is over, though no customer comes by.
      if (states.some(({ state }) => state !== 'believed')) void prices.read()
      return states
    },
    read: () => {
      // Whoever asks while a reading is under way waits for that one. A clock set back makes none fresh again.
      if (reading && (reading.doneMs === null || Math.abs(now() - reading.doneMs) < freshMs)) return reading.prices
      const mine: typeof reading = { prices: readNow(), doneMs: null }
      reading = mine
      const done = () => {
        mine.doneMs = now()
      }
      mine.prices.then(done, done)
      return mine.prices
    },
  }
  return prices
}

const freshMs = 5_000

import type { Hex } from 'viem'
import type { Ask } from '../collect/ask.ts'
import { type Holding, readHoldings } from '../collect/holdings.ts'
import { forwarderOf, saltOf } from '../forwarder.ts'
import type { Recovery } from './file.ts'

export type Found = Holding & { readonly treasury: Hex; readonly counter: number; readonly salt: Hex }

export type Search = {
  /** Every address that holds something. */
  readonly found: readonly Found[]
  /** How many addresses of each treasury were looked at. */
  readonly searched: number
  /** Tokens that would not say what some address holds. */
  readonly silent: readonly Hex[]
}

/**
 * Looks at every address given out before the file was written, and goes on until `gap` in a row were
 * never used: payments are begun by whoever opens a link, and most of those may have been left unpaid.
 */
export const findFunds = async (
  ask: Ask,
  { secret, highestCounter }: Pick<Recovery, 'secret' | 'highestCounter'>,
  treasuries: readonly Hex[],
  { tokens, gap }: { readonly tokens: readonly Hex[]; readonly gap: number },
): Promise<Search> => {
  const makers = treasuries.map(treasury => ({ treasury, addressOf: forwarderOf(treasury) }))
  const found: Found[] = []
  const silent = new Set<Hex>()
  let searched = 0
  for (let used = highestCounter === null ? 0 : highestCounter + 1; searched < used + gap; ) {
    const first = searched
    searched = Math.min(first + step, used + gap)
    const salts = Array.from({ length: searched - first }, (_, at) => saltOf(secret, first + at))
    // A number was drawn for one of the treasuries, and nobody remembers which.
    for (const { treasury, addressOf } of makers) {
      const holdings = await readHoldings(ask, salts.map(addressOf), tokens)
      for (const [at, salt] of salts.entries()) {
        const holding = holdings[at]
        if (!holding) continue
        const counter = first + at
        const holds = holding.coins > 0n || holding.tokens.some(amount => amount)
        if (holds) found.push({ ...holding, treasury, counter, salt })
        if (holds || holding.deployed) used = Math.max(used, counter + 1)
        tokens.filter((_, place) => holding.tokens[place] === undefined).forEach(token => void silent.add(token))
      }
    }
  }
  return { found, searched, silent: [...silent] }
}

const step = 1000

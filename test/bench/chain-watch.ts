import { watchChains } from '../../src/chain/watch/watch.ts'
import { until } from '../harness/until.ts'
import type { ChainInstance } from './chain-instance.ts'
import type { Opened } from './chain-payments.ts'

/** A worker that reads the chain of an instance, and the times when payments became processing. */
export type Watcher = AsyncDisposable & {
  /** Waits until there is nothing left to read, to finalize or to dispatch. */
  idle(): Promise<void>
  /** When the last of these payments was committed as processing, by this process's clock. */
  processing(payments: readonly Opened[]): Promise<number>
}

export const startWatcher = ({ world, chain, source }: ChainInstance, pollMs: number): Watcher => {
  const committed = new Map<string, number>()
  const { actors } = world
  // A dispatch resolves when its command is committed.
  const dispatchBundle: typeof actors.dispatchBundle = async commands => {
    const outcome = await actors.dispatchBundle(commands)
    const at = performance.now()
    if (outcome.ok)
      for (const { actor } of outcome.done)
        if (actor.state === 'processing' && !committed.has(actor.id)) committed.set(actor.id, at)
    return outcome
  }
  const watch = watchChains(
    { ...world, actors: { ...actors, dispatchBundle } },
    { chains: [{ ...chain, pollMs, source }], share: () => ({ position: 0, count: 1 }) },
  )
  const isIdle = async (head: number): Promise<boolean> => {
    const [row] = await world.sql<{ idle: boolean }[]>`
      select number >= ${head} and final_number >= ${head - chain.confirmations + 1}
        and not exists (select from unsettled_payments) as idle
      from chain_cursors`
    return row?.idle === true
  }
  return {
    idle: async () => {
      const head = await source.head()
      await until(() => isIdle(head), { timeoutMs: 120_000, everyMs: 50, what: 'a chain that is read' })
    },
    processing: async payments => {
      // Finished payments are not read again: the worker shares this process and would wait for that.
      const waiting = payments.map(({ id }) => id)
      const isDone = () => {
        while (waiting.length > 0 && committed.has(waiting.at(-1) ?? '')) waiting.pop()
        return waiting.length === 0
      }
      await until(isDone, { timeoutMs: 120_000, everyMs: 5, what: 'payments that are processing' })
      const [row] = await world.sql<{ count: number }[]>`
        select count(*)::integer as count from payments
        where state <> 'pending' and id = any(${payments.map(({ id }) => id)}::uuid[])`
      if (row?.count !== payments.length) throw new Error(`${row?.count} of ${payments.length} are processing`)
      return Math.max(...payments.map(({ id }) => committed.get(id) ?? Number.POSITIVE_INFINITY))
    },
    [Symbol.asyncDispose]: () => watch.stop(),
  }
}

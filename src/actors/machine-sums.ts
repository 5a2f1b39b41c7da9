import { setTimeout as sleep } from 'node:timers/promises'
import type { Dependencies } from '../dependencies.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Kind } from './kind.ts'

const EVERY_MS = 500
const PRUNE_EVERY_MS = 600_000
const PAGE = 5_000

export type MachineSums = { stop(): Promise<void> }

/**
 * Keeps the sums of all machines: see sql/011-machine-sums.sql. One process at a time adds transitions; `isChosen` keeps
 * the others from asking.
 */
export const keepMachineSums = (
  { sql, log }: Pick<Dependencies, 'sql' | 'log'>,
  { isChosen, everyMs = EVERY_MS }: { readonly isChosen: () => boolean; readonly everyMs?: number },
): MachineSums => {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = async (): Promise<void> => {
    let prunedAt = performance.now()
    for (let failures = 0; !signal.aborted; ) {
      let added = 0
      try {
        if (isChosen()) added = await addTransitions(sql, PAGE)
        if (performance.now() - prunedAt > PRUNE_EVERY_MS) {
          await sql`select prune_machine_sums()`
          prunedAt = performance.now()
        }
        failures = 0
      } catch (err) {
        if (failures++ === 0) log.error({ err }, 'sums of the machines not updated, retrying')
      }
      if (added < PAGE) await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  }
  const looping = loop()
  return {
    stop: async () => {
      stopping.abort()
      await looping
    },
  }
}

/** Adds the next transitions of the feed to the sums. Returns how many they were. */
export const addTransitions = async (sql: Sql, most: number): Promise<number> => {
  const [row] = await sql<{ added: number }[]>`select count_transitions(${most}) as added`
  return row?.added ?? 0
}

/** Makes the sums from the rows of all actors and their history. */
export const rebuildMachineSums = async (sql: Sql, kinds: readonly Kind[]): Promise<void> => {
  const tables = JSON.stringify(Object.fromEntries(kinds.map(({ name, table }) => [name, table])))
  await sql`select rebuild_machine_sums(${tables}::text::json)`
}

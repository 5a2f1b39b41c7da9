import type { Clock } from '../clock.ts'
import type { Sql } from '../postgres/connect.ts'
import { AnswerLost, onlyRow } from '../postgres/errors.ts'
import type { Batch, CommitResult, Duplicate, Unit } from './batch.ts'
import { isDuplicateRows } from './commit-errors.ts'
import { gatherEffects, gatherRows, type Tables } from './gather.ts'
import { groupUnits } from './groups.ts'
import { rowsLiteral, type Value } from './literals.ts'
import type { Registry } from './registry.ts'

/** Writes everything that a batch decided in one statement. */
export const commitBatch = async <U extends Unit>(
  sql: Sql,
  clock: Clock,
  registry: Registry,
  batch: Batch<U>,
): Promise<CommitResult<U>> => {
  const units = batch.decided.map(({ unit }) => unit)
  const groups = groupUnits(units)
  const unitsIn = (wanted: readonly number[]): Set<U> =>
    new Set(wanted.length === 0 ? [] : units.filter((_, index) => wanted.includes(groups.ofUnit(index))))
  const duplicateUnits = ({ g, constraint, certain }: Duplicate & { g: number }): [U, Duplicate][] => {
    const group = [...unitsIn([g])]
    return group.map(unit => [unit, { constraint, certain: certain && group.length === 1 }])
  }
  const effects = gatherEffects(registry, batch, groups.ofUnit)
  const { updates, inserts, connected } = gatherRows(registry, batch, groups, effects.inserts)
  const number = nextBatchNumber()
  const sentAt = performance.now()
  try {
    // `onlyRow` throws if the driver has lost the row: a missing answer must not be reported as success.
    const answer = onlyRow(
      await sql<{ conflicts: number[] | null; now: Date }[]>`
      select now(), commit_actors(
        ${number}::integer, ${batch.at}, ${batch.lease}, ${connected}, ${batch.era},
        ${writersOf(updates)}::text::text[], ${literalsOf(sql, updates)},
        ${writersOf(inserts)}::text::text[], ${literalsOf(sql, inserts)},
        ${rows(effects.steps)}::text::step_entry[],
        ${rows(effects.layouts)}::text::json_layouts[], ${effects.contexts}::text, ${effects.objects}::text,
        ${rows(effects.writes)}::text::write_entry[],
        ${rows(effects.armed)}::text::timer_entry[], ${rows(effects.canceled)}::text::canceled_entry[],
        ${rows(effects.jobs)}::text::job_entry[], ${json(effects.payloads)}::text::json,
        ${rows(effects.clocks)}::text::clock_entry[]) as conflicts`,
    )
    clock.learn(answer.now, performance.now() - sentAt)
    return { conflicted: unitsIn(answer.conflicts ?? []), duplicated: new Map() }
  } catch (error) {
    if (!isDuplicateRows(error)) throw error
    const { batch: refusedNumber, duplicates } = JSON.parse(error.detail) as Refusals
    // postgres.js can reject a statement with the error of an earlier one whose connection was cut after that error.
    if (refusedNumber !== number) throw new AnswerLost('the answer belongs to another commit')
    return { conflicted: new Set(), duplicated: new Map(duplicates.flatMap(duplicateUnits)) }
  }
}

type Refusals = { readonly batch: number; readonly duplicates: readonly (Duplicate & { readonly g: number })[] }

let batchNumber = 0

/** Numbers the batches of this process, to match errors with them. */
const nextBatchNumber = (): number => {
  batchNumber = (batchNumber + 1) % 2 ** 31
  return batchNumber
}

// Null if there are no entries, so that the SQL function can skip the statement.
const rows = (entries: Value[][]) => (entries.length === 0 ? null : rowsLiteral(entries))
const json = (values: unknown[]) => (values.length === 0 ? null : JSON.stringify(values))

// In the same order in all processes, because locks are taken in it.
const inOrder = (tables: Tables) => [...tables].sort(([a], [b]) => (a < b ? -1 : 1))

const writersOf = (tables: Tables): string => `{${inOrder(tables).map(([writer]) => writer)}}`

/** One parameter per table: a literal inside another literal would have to be escaped and parsed twice. */
const literalsOf = (sql: Sql, tables: Tables) => {
  const [first, ...others] = inOrder(tables).map(([, entries]) => rowsLiteral(entries))
  if (first === undefined) return sql`'{}'::text[]`
  const rest = others.map(literal => sql`, ${literal}::text`)
  return sql`array[${first}::text ${rest.length === 0 ? sql`` : rest}]`
}

import postgres from 'postgres'
import { arrayTypes } from '../../src/postgres/arrays.ts'
import type { Sql } from '../../src/postgres/connect.ts'

/** The plans of all queries that `work` runs on a connection of its own. */
export const plansOf = async (url: string, work: (sql: Sql) => Promise<void>): Promise<string> => {
  const plans: string[] = []
  const explained = postgres(url, {
    max: 1,
    fetch_types: false,
    types: arrayTypes,
    onnotice: ({ message }) => plans.push(String(message)),
  }) as unknown as Sql
  await explained`load 'auto_explain'`
  await explained.unsafe(`
    set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
    set auto_explain.log_level = 'notice';
    set enable_seqscan = off`)
  await work(explained)
  await explained.end()
  return plans.join('\n')
}

/** The indexes by which the plans read a table. */
export const waysTo = (table: string, plans: string): string[] => {
  const scans = plans.matchAll(new RegExp(`(Tid )?Scan(?: Backward)?(?: using (\\w+))? on ${table}\\b`, 'g'))
  return [...new Set([...scans].map(([, tid, by]) => String(by ?? tid)))].sort()
}

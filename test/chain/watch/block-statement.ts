import { connect } from '../../../src/postgres/connect.ts'
import { until } from '../../harness/until.ts'

/**
 * Adds a trigger, such as `before update on payments for each statement`, that blocks every process until this is
 * disposed of. So a process can be killed at a step of its work.
 */
export const blockStatement = async (databaseUrl: string, statement: string) => {
  const holder = connect(databaseUrl, { max: 1, name: 'block statement' })
  await holder.unsafe(`
    create or replace function wait_while_blocked() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(hashtext('block statement'));
      return new;
    end $$`)
  await holder.unsafe(`select pg_advisory_lock(hashtext('block statement'))`)
  const [, event = '', , table = ''] = statement.split(' ')
  await holder.unsafe(`create trigger blocked_${event} ${statement} execute function wait_while_blocked()`)
  const pids = (which: string) =>
    holder.unsafe<{ pid: number }[]>(`select pid from pg_stat_activity where datname = current_database() and ${which}`)
  return {
    /** Resolves when a process is blocked. */
    isBlocking: () =>
      until(async () => (await pids(`wait_event = 'advisory'`)).length > 0, {
        what: `a process to be blocked at: ${statement}`,
      }),
    /**
     * Ends the sessions of a killed watcher, blocked or not: Postgres would otherwise finish their statements, because
     * it notices that a client is gone only when it answers.
     */
    endSessions: () =>
      until(async () => {
        const left = await pids(`application_name = 'watcher'`)
        for (const { pid } of left) await holder`select pg_terminate_backend(${pid})`
        return left.length === 0
      }),
    [Symbol.asyncDispose]: async () => {
      await holder.unsafe(`select pg_advisory_unlock(hashtext('block statement'))`)
      await holder.unsafe(`drop trigger blocked_${event} on ${table}`)
      await holder.end()
    },
  }
}

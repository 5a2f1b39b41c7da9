import { connect } from '../../../src/postgres/connect.ts'
import { until } from '../../harness/until.ts'

/**
 * Holds up whoever comes to a statement, in the middle of it, for as long as the trap is there: `before update on
 * payments for each statement`. So a process can be killed at a step of its work that the program need not know.
 */
export const trap = async (databaseUrl: string, statement: string) => {
  const holder = connect(databaseUrl, { max: 1, name: 'trap' })
  await holder.unsafe(`
    create or replace function wait_in_trap() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(hashtext('trap'));
      return new;
    end $$`)
  await holder.unsafe(`select pg_advisory_lock(hashtext('trap'))`)
  const [, event = '', , table = ''] = statement.split(' ')
  await holder.unsafe(`create trigger trapped_${event} ${statement} execute function wait_in_trap()`)
  const pids = (which: string) =>
    holder.unsafe<{ pid: number }[]>(`select pid from pg_stat_activity where datname = current_database() and ${which}`)
  return {
    /** Until somebody is in it. */
    sprung: () =>
      until(async () => (await pids(`wait_event = 'advisory'`)).length > 0, {
        what: `somebody to come to: ${statement}`,
      }),
    /**
     * What a watcher was about that has been killed is undone, in the trap and on the way there. A server hears
     * that its client is gone only when it answers, and would do all of it first.
     */
    undo: () =>
      until(async () => {
        const left = await pids(`application_name = 'watcher'`)
        for (const { pid } of left) await holder`select pg_terminate_backend(${pid})`
        return left.length === 0
      }),
    [Symbol.asyncDispose]: async () => {
      await holder.unsafe(`select pg_advisory_unlock(hashtext('trap'))`)
      await holder.unsafe(`drop trigger trapped_${event} on ${table}`)
      await holder.end()
    },
  }
}

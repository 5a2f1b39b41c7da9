import type { Sql } from '../../src/postgres/connect.ts'

/** Copies every table of the service. `restore` puts all rows back, like a dump restored into another cluster. */
export const backUp = async (sql: Sql) => {
  await sql.unsafe(`
    do $$ declare name text; begin
      create schema backup;
      for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
        execute format('create table backup.%1$I as table public.%1$I', name);
      end loop;
    end $$`)
  return {
    restore: () =>
      sql.unsafe(`
        do $$ declare name text; begin
          perform set_config('session_replication_role', 'replica', true);
          for name in select relname from pg_class where relnamespace = 'backup'::regnamespace loop
            execute format('delete from public.%I', name);
            execute format('insert into public.%1$I overriding system value table backup.%1$I', name);
          end loop;
          drop schema backup cascade;
          update eras set cluster = 'another', postmaster_started = '2020-01-01';
        end $$`),
  }
}

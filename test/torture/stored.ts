import type { Sql } from '../../src/postgres/connect.ts'

/** One change of an actor, as stored in its history. */
export type Change = {
  readonly actor: string
  readonly rev: number
  readonly command: string
  readonly event: string
  readonly to: string
  readonly cause: string | null
  readonly switched: number
  readonly at: Date
  readonly xid: string
}

export type Lamp = { readonly id: string; readonly room: string | null; readonly burnMs: number }

/** The contents of the database when nothing is in progress. */
export type Stored = {
  /** The changes of each actor, by revision. */
  readonly changes: ReadonlyMap<string, readonly Change[]>
  readonly lamps: ReadonlyMap<string, Lamp>
  /** The actor with which each row key was committed. */
  readonly sightings: ReadonlyMap<string, string>
}

export const readStored = async (sql: Sql): Promise<Stored> => {
  const rows = await sql<Change[]>`
    select actor, rev, command, event, to_state as to, cause, (json_of(context) ->> 'switched')::integer as switched, at,
      xid::text as xid
    from transitions order by actor, rev`
  const changes = new Map<string, Change[]>()
  for (const change of rows) {
    const own = changes.get(change.actor)
    if (own) own.push(change)
    else changes.set(change.actor, [change])
  }
  const lamps = await sql<Lamp[]>`select id, room, burn_ms as "burnMs" from lamps`
  const sightings = await sql<{ tx: string; lamp: string }[]>`select tx, lamp from sightings`
  return {
    changes,
    lamps: new Map(lamps.map(lamp => [lamp.id, lamp])),
    sightings: new Map(sightings.map(({ tx, lamp }) => [tx, lamp])),
  }
}

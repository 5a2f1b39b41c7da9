import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { kinds } from '../kinds/all.ts'
import { type ChangePosition, findChangesEnd } from '../queries/changes.ts'
import {
  findNewestActors,
  type InspectedTransition,
  type InspectorFilter,
  openActorReader,
  readInspected,
} from '../queries/ops/inspected.ts'
import { findOperatorSessions, type TicketHolder } from '../queries/ops/tickets.ts'
import { isWanted } from '../queries/ops/transitions.ts'
import type { Cause } from '../records/transition.ts'
import { positionId } from './feed-streams.ts'
import { type InspectorClient, openInspectorClient } from './inspector-client.ts'
import { openInspectorMessages, textOfMessage } from './inspector-messages.ts'
import { openRepeat } from './repeat.ts'
import { openShownActors, type ShownActors } from './shown-actors.ts'
import type { AcceptSocket } from './sockets.ts'
import { openStreamCounts, RETRY_S } from './stream-limits.ts'

/** The WebSockets of the inspector in this process. */
export type Inspector = {
  /** Refuses if there are too many. The WebSocket must be opened soon. */
  accept(request: InspectorRequest): AcceptSocket
  /** Closes all WebSockets and refuses new ones. */
  stop(): void
}

export type InspectorRequest = {
  readonly filter: InspectorFilter
  readonly holder: TicketHolder
  /** The cause of a transition, without names of people. */
  readonly causeOf: (cause: string | null) => Cause
}

export type InspectorOptions = Partial<Limits> & { readonly everyMs?: number }

type Limits = {
  readonly most: number
  readonly mostOfSession: number
  /** Actors that are sent first. */
  readonly mostActors: number
  /** Messages that a client may be behind. */
  readonly mostBehind: number
  /** Transitions that are read at a time. Each is two messages, so they fit into what a client may be behind. */
  readonly page: number
}

type Watching = InspectorRequest & {
  readonly shown: ShownActors
  /** Undefined while the first actors are sent. */
  after: ChangePosition | undefined
}

/** Actors that are read at a time. */
const CHUNK = 200

const TRY_AGAIN_LATER = 1013
const GOING_AWAY = 1001
const NOT_ALLOWED = 1008
const FAILED = 1011

/**
 * Sends operators the states of actors, and then every transition. One query at a time reads the transitions for all
 * clients; there is none while there are no clients.
 */
export const openInspector = (
  { sql, log }: Pick<Services, 'sql' | 'log'>,
  {
    everyMs = 300,
    most = 100,
    mostOfSession = 10,
    mostActors = 10_000,
    mostBehind = 1_000,
    page = 400,
  }: InspectorOptions = {},
): Inspector => {
  const messages = openInspectorMessages(kinds)
  const readActors = openActorReader(kinds)
  const clients = new Map<InspectorClient, Watching>()
  const counts = openStreamCounts(most)
  const stopping = new AbortController()

  const sendFirst = async (client: InspectorClient, watching: Watching): Promise<void> => {
    const { filter, shown } = watching
    // Read before the actors: a transition that is committed meanwhile is among those that follow.
    const start = await findChangesEnd(sql)
    const found = await findNewestActors(sql, kinds, filter, mostActors)
    for (let at = 0; at < found.length && !client.isClosed(); at += CHUNK) {
      const actors = await readActors(sql, found.slice(at, at + CHUNK))
      for (const { id, rev } of actors) shown.add(id, rev)
      client.say(actors.map(actor => textOfMessage(messages.ofActor(actor))))
      await client.sent()
    }
    watching.after = start
  }

  const textsFor = ({ filter, shown, causeOf }: Watching, rows: readonly InspectedTransition[]): readonly string[] =>
    rows.flatMap(row => {
      if (!isWanted(filter, row) || shown.isOld(row.actor, row.rev)) return []
      const made = messages.ofTransition(row, causeOf(row.cause), shown.has(row.actor))
      shown.add(row.actor, row.rev)
      return made.map(textOfMessage)
    })

  /** Returns whether there are more transitions. */
  const sendNews = async (): Promise<boolean> => {
    await closeOthers()
    closeSlow()
    const live = [...clients].flatMap(([client, watching]) =>
      watching.after ? [{ client, watching, after: watching.after }] : [],
    )
    let more = false
    // Clients are soon at the same position, which is read once.
    for (const group of Map.groupBy(live, ({ after }) => positionId(after)).values()) {
      const [first] = group
      if (!first) continue
      const rows = await readInspected(sql, first.after, page)
      const last = rows.at(-1)
      if (!last) continue
      const { era, xid, seq } = last
      for (const { client, watching } of group) {
        watching.after = { era, xid, seq }
        client.say(textsFor(watching, rows))
      }
      more ||= rows.length === page
    }
    return more
  }

  const closeSlow = (): void => {
    for (const client of clients.keys()) {
      const behind = client.behind()
      if (behind < mostBehind) continue
      client.close(TRY_AGAIN_LATER, 'The client does not read fast enough.')
      log.info({ behind }, 'slow inspector client closed')
    }
  }

  const closeOthers = async (): Promise<void> => {
    const sessions = new Set([...clients.values()].map(({ holder }) => holder.sessionId))
    if (sessions.size === 0) return
    const active = await findOperatorSessions(sql, [...sessions])
    for (const [client, { holder }] of clients)
      if (!active.has(holder.sessionId)) client.close(NOT_ALLOWED, 'The session has ended.')
  }

  const reading = openRepeat({
    ...{ run: sendNews, everyMs, isNeeded: () => clients.size > 0, stopping: stopping.signal },
    failed: err => log.warn({ err }, 'inspector update failed, retrying'),
  })

  return {
    accept: request => {
      if (stopping.signal.aborted) refuse('service_unavailable', { retryAfter: RETRY_S })
      const groups = [[`session ${request.holder.sessionId}`, mostOfSession]] as const
      counts.enter(groups)
      // The handshake may fail afterwards.
      const unopened = setTimeout(() => counts.leave(groups), UNOPENED_MS)
      return socket => {
        clearTimeout(unopened)
        const client = openInspectorClient(socket)
        const watching: Watching = { ...request, shown: openShownActors(mostActors * 2), after: undefined }
        clients.set(client, watching)
        if (stopping.signal.aborted) client.close(GOING_AWAY, 'The server is stopping.')
        sendFirst(client, watching).catch(err => {
          log.warn({ err }, 'inspector not started')
          client.close(FAILED, 'The states of the actors could not be read.')
        })
        reading.start()
        return {
          onDrain: client.onDrain,
          onClose: () => {
            client.onClose()
            if (clients.delete(client)) counts.leave(groups)
          },
        }
      }
    },
    stop: () => {
      stopping.abort()
      for (const client of clients.keys()) client.close(GOING_AWAY, 'The server is stopping.')
    },
  }
}

const UNOPENED_MS = 10_000

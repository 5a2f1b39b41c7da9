import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../actors/world.ts'
import type { Keyring } from '../keyring.ts'
import type { Claimed } from '../queries/sending.ts'
import { bodyOf, MOST_BODY_BYTES } from './body.ts'
import { withDatabaseTimeout } from './database-timeout.ts'
import { type OpenEndpoint, openEndpointBook } from './endpoint-book.ts'
import type { OpenClaim } from './insist.ts'
import { type LookoutOptions, openLookout } from './lookout.ts'
import { type AttemptOutcome, claimedActor, endOf, unsent } from './outcome.ts'
import type { Poster } from './post.ts'
import { LEASE_MS, openReaper } from './reaper.ts'
import { type ClaimRequest, type ClaimResult, type Flight, openRoster } from './roster.ts'
import { signedHeaders } from './signature.ts'
import { type HeldDelivery, openSteps } from './steps.ts'

export type SenderOptions = LookoutOptions & {
  readonly keyring: Keyring
  readonly poster: Poster
  readonly reapMs?: number
  /** What was taken up so long ago is not sent any more. */
  readonly staleMs?: number
  /** How long requests under way may take when the process is asked to stop: as long as a receiver is given. */
  readonly stopGraceMs?: number
}

export type Sender = {
  /** Something was committed that may have to be sent, to these endpoints or to any. */
  wake(endpointIds?: readonly string[]): void
  /** Requests under way, and how those have ended that were. */
  counts(): { readonly open: number; readonly ended: ReadonlyMap<string, number> }
  /** Takes up nothing more, and waits for what is under way. */
  stop(): Promise<void>
}

/** Whoever was stopped for a while does not send what it took up before: the lease would be over before the answer. */
const STALE_MS = LEASE_MS - 15_000

/** How late a commit may be whose endpoints are named. */
const LATE_MS = 60_000

const action = 'start with the SECRET_KEY that encrypted the secret'

/** Sends deliveries for as long as it runs. Any number of processes may have one. */
export const openSender = (
  world: World,
  { keyring, poster, reapMs, staleMs = STALE_MS, stopGraceMs = 15_500, ...lookouts }: SenderOptions,
): Sender => {
  const { sql, clock, random, log } = world
  const roster = openRoster()
  const book = openEndpointBook(sql, keyring)
  const flights = new Map<HeldDelivery, Flight>()
  const endings = new Map<string, number>()
  let stopping = false
  let over = false

  const taken = (claimed: readonly Claimed[], claim: OpenClaim, asked: readonly ClaimRequest[]): void => {
    const counts = new Map<string, ClaimResult>()
    const strangers = new Map<string, [Claimed, HeldDelivery][]>()
    for (const each of claimed) {
      const { count, lastDueMs } = counts.get(each.endpointId) ?? NOTHING
      counts.set(each.endpointId, { count: count + 1, lastDueMs: Math.max(lastDueMs, each.dueAt.getTime()) })
      const held = { actor: claimedActor(each, claim.at), claim }
      flights.set(held, roster.start(each.endpointId, performance.now()))
      const endpoint = book.find(each)
      if (over) finish(held, unsent('lost'))
      else if (endpoint) send(each, held, endpoint)
      else strangers.set(each.endpointId, [...(strangers.get(each.endpointId) ?? []), [each, held]])
    }
    for (const asking of asked) roster.given(asking, counts.get(asking.lane.id) ?? NOTHING)
    if (strangers.size > 0) void meet(strangers)
  }

  const meet = async (strangers: ReadonlyMap<string, readonly [Claimed, HeldDelivery][]>): Promise<void> => {
    const met = await known([...strangers.keys()])
    for (const [id, its] of strangers) {
      const endpoint = met?.get(id)
      if (endpoint instanceof Error)
        log.error({ err: endpoint, endpoint: id, action }, 'webhook not signed, endpoint secret unreadable')
      for (const [claimed, held] of its) {
        // Nobody has waited for it.
        if (!flights.has(held)) continue
        if (!endpoint) finish(held, unsent('lost'))
        else if (endpoint instanceof Error) finish(held, unsent('not_signed'))
        else send(claimed, held, endpoint)
      }
    }
  }

  /** Undefined when the database does not tell before it would be too late to send. */
  const known = async (ids: readonly string[]) => {
    for (const until = performance.now() + staleMs; !over && performance.now() < until; await sleep(100)) {
      const read = await withDatabaseTimeout(book.read(ids)).catch((err: unknown) =>
        log.warn({ err }, 'webhook endpoints not read, retrying'),
      )
      if (read) return read
    }
    return undefined
  }

  const send = (claimed: Claimed, held: HeldDelivery, endpoint: OpenEndpoint): void => {
    const { eventId: id, livemode } = claimed
    const body = Buffer.from(bodyOf(claimed))
    const at = clock.now()
    // By no clock that may be told another time meanwhile.
    const heldMs = performance.now() - held.claim.askedAt
    if (heldMs > staleMs) finish(held, unsent('lost'))
    else if (body.length > MOST_BODY_BYTES) finish(held, unsent('body_too_large'))
    else {
      const headers = signedHeaders({ secrets: endpoint.secrets(at), id, body, at })
      void poster.post({ url: endpoint.url, livemode, headers, body }).then(outcome => finish(held, outcome))
    }
  }

  const finish = (held: HeldDelivery, outcome: AttemptOutcome): void => {
    const flight = flights.get(held)
    // It has been given up, and nobody waits for this.
    if (!flight) return
    flights.delete(held)
    roster.end(flight, outcome)
    endings.set(outcome.outcome, (endings.get(outcome.outcome) ?? 0) + 1)
    steps.end(held, endOf(Number(held.actor.context.attempts), outcome, clock.now(), random))
  }

  const steps = openSteps(world, { next: () => (stopping ? [] : roster.pick(performance.now())), taken })

  const note = (endpointId: string, dueMs: number): void => {
    roster.note(endpointId, dueMs, performance.now())
    steps.wake()
  }
  const lookout = openLookout(
    world,
    ({ endpointId, dueAt }) => {
      const inMs = dueAt.getTime() - clock.now().getTime()
      if (inMs <= 0) note(endpointId, dueAt.getTime())
      else setTimeout(() => note(endpointId, dueAt.getTime()), inMs)
    },
    lookouts,
  )
  const reaper = openReaper(world, reapMs)
  const looking = setInterval(() => {
    roster.look(performance.now())
    if (roster.hasDue()) steps.wake()
  }, 50)

  return {
    wake: endpointIds => {
      const dueMs = clock.now().getTime() - LATE_MS
      if (endpointIds) for (const id of endpointIds) note(id, dueMs)
      else lookout.call()
    },
    counts: () => ({ open: flights.size, ended: endings }),
    stop: async () => {
      stopping = true
      const until = performance.now() + stopGraceMs
      const landed = async () => {
        // The step under way may take something up.
        while ((steps.isRunning() || flights.size > 0) && performance.now() < until) await sleep(20)
      }
      const idle = Promise.all([lookout.stop(), reaper.stop()])
      await landed()
      clearInterval(looking)
      // Whatever they come to, nobody will hear of it.
      over = true
      for (const held of flights.keys()) finish(held, unsent('lost'))
      poster.close()
      await Promise.race([steps.close(), sleep(2_000, undefined, { ref: false })])
      await idle
    },
  }
}

const NOTHING: ClaimResult = { count: 0, lastDueMs: 0 }

import { uuidv7 } from '../../src/ids.ts'
import { oneOf } from '../harness/random.ts'
import type { Operation } from './history.ts'
import type { Wire } from './protocol.ts'

/** The actors that operations are drawn for. Some are used much more often than others. */
export type Actors = ReturnType<typeof openActorPool>

const HOT = 3
const COLD = 60
const FRESH = 1_000
/** The number of operations for which an actor is hot: its history must not grow without end. */
const HOT_FOR = 1_500

export const openActorPool = () => {
  const cold: string[] = []
  /** Actors that no operation was drawn for yet. */
  const fresh: string[] = []
  let hot: string[] = []
  let drawn = 0
  return {
    add: (id: string, random: () => number): void => {
      if (cold.length < COLD) cold.push(id)
      else if (fresh.length < FRESH) fresh.push(id)
      else cold[Math.floor(random() * COLD)] = id
    },
    /** An actor without other operations for a while: it stays unchanged if this operation fails. */
    drawFresh: (random: () => number): string => fresh.shift() ?? oneOf(cold, random),
    draw: (random: () => number): string => {
      if (drawn++ % HOT_FOR === 0) hot = cold.slice(0, HOT)
      return oneOf(random() < 0.5 ? hot : cold, random)
    },
    /** An actor that is not hot. */
    drawCold: (random: () => number): string => oneOf(cold.slice(HOT), random),
  }
}

export type Drawn = Omit<Operation, 'attempts'> | { readonly read: string }

export type Drawer = { readonly name: string; readonly random: () => number; readonly actors: Actors }

/** Draws the next operation of a caller. */
export const drawOperation = ({ name, random, actors }: Drawer): Drawn => {
  const keyed = random() < 0.5
  const wire = (fields: Omit<Wire, 'cause'>): Wire => ({
    ...fields,
    cause: name,
    ...(keyed && { id: uuidFrom(random) }),
  })
  const of = (expected: Operation['expected'], ...commands: readonly Omit<Wire, 'cause'>[]): Drawn => ({
    ...{ name, keyed, expected, commands: commands.map(wire) },
  })
  const count = () => ({ actor: actors.draw(random), event: 'count', by: 1 + Math.floor(random() * 3) })
  const kind = random()
  if (kind < 0.16) return of('any', count())
  const soonOver = { before: Date.now() + Math.floor(random() * 400) }
  if (kind < 0.22) return of('any', { ...count(), ...soonOver })
  if (kind < 0.3) return of('any', { actor: actors.drawFresh(random), event: 'count', by: 1, ...soonOver })
  if (kind < 0.5) return of('any', { actor: actors.draw(random), event: 'flash' })
  if (kind < 0.6) return of('any', { actor: actors.draw(random), event: 'switch_on' })
  if (kind < 0.7) return of('any', { actor: actors.draw(random), event: 'switch_off' })
  if (kind < 0.78) return drawCreation(of, random)
  if (kind < 0.84) return of('any', { ...count(), tx: `tx ${sharedNumber()} ${Math.floor(random() * 20)}` })
  if (kind < 0.9) return drawBundle(of, count, random)
  if (kind < 0.92) return of('fails', { actor: actors.draw(random), event: 'hit' })
  if (kind < 0.94) return of('fails', { ...count(), by: 2_000_000 })
  if (kind < 0.95) return of('missing', { actor: uuidFrom(random), event: 'flash' })
  if (kind < 0.96) return of('exists', { actor: actors.draw(random), create: { burnMs: 500, room: null } })
  return { read: actors.draw(random) }
}

type Of = (expected: Operation['expected'], ...commands: readonly Omit<Wire, 'cause'>[]) => Drawn

export const drawCreation = (of: Of, random: () => number): Drawn =>
  of('any', {
    actor: uuidv7(new Date(), bytes => fill(bytes, random)),
    create: {
      burnMs: 50 + Math.floor(random() * 1_500),
      // Several callers ask for the same room; one of them gets it.
      room: random() < 0.5 ? `room ${sharedNumber()} ${Math.floor(random() * 5)}` : null,
    },
  })

const drawBundle = (of: Of, count: () => Omit<Wire, 'cause'>, random: () => number): Drawn => {
  const [one, other] = [count(), count()]
  // A bundle has at most one command per actor here, so that cause and actor identify a command.
  if (one.actor === other.actor) return of('any', one)
  return random() < 0.3
    ? of('any', one, { actor: other.actor, event: 'switch_on' })
    : of('any', one, { ...other, ...(random() < 0.3 && { tx: `tx ${sharedNumber()} ${Math.floor(random() * 20)}` }) })
}

/** A name that several callers use at the same time. */
const sharedNumber = (): number => Math.floor(Date.now() / 500)

const fill = (bytes: Uint8Array, random: () => number): Uint8Array => {
  for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(random() * 256)
  return bytes
}

const uuidFrom = (random: () => number): string => uuidv7(new Date(), bytes => fill(bytes, random))

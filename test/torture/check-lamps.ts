import type { History } from './history.ts'
import type { Wire } from './protocol.ts'
import type { Change, Lamp, Stored } from './stored.ts'

/** The clocks of two processes differ by less than this. */
const CLOCKS_MS = 250

/** Each revision is the machine's result for the previous revision and its command. The machine is written again here. */
export const checkLamps = ({ operations }: History, { changes, lamps }: Stored): string[] => {
  const commands = new Map(
    operations.flatMap(({ name, commands }) => commands.map(command => [`${name} ${command.actor}`, command] as const)),
  )
  return [...changes].flatMap(([actor, own]) => {
    const lamp = lamps.get(actor)
    if (!lamp) return [`${actor} has a history and no row`]
    let before: Change | undefined
    /** When it was last switched on. */
    let armedAt = 0
    const broken: string[] = []
    for (const change of own) {
      const command = commands.get(`${change.cause} ${actor}`)
      const expected = after(before, change, command)
      if (change.rev !== (before?.rev ?? 0) + 1) broken.push(`${actor} has no revision ${change.rev - 1}`)
      if (!expected || expected.state !== change.to || expected.switched !== change.switched)
        broken.push(`${change.event} cannot lead to ${change.to}/${change.switched}: ${actor} ${change.rev}`)
      if (command?.before !== undefined && change.at.getTime() >= command.before)
        broken.push(`${change.cause} was carried out after its deadline: ${actor} ${change.rev}`)
      if (change.event === TIMER) broken.push(...checkTimer(change, lamp, armedAt))
      if (change.event === 'switch_on' || change.event === 'flash') armedAt = change.at.getTime()
      before = change
    }
    return broken
  })
}

const TIMER = 'after.burn.lamp.on'

const after = (
  before: Change | undefined,
  { event, cause }: Change,
  command: Wire | undefined,
): { readonly state: string; readonly switched: number } | undefined => {
  const { to: state, switched } = before ?? { to: undefined, switched: 0 }
  if (event === TIMER) return cause === 'timer' && state === 'on' ? { state: 'off', switched } : undefined
  if (!command || event !== (command.event ?? 'create')) return undefined
  if (event === 'create') return state === undefined ? { state: 'off', switched: 0 } : undefined
  if (state === undefined) return undefined
  if (event === 'switch_on') return state === 'off' ? { state: 'on', switched: switched + 1 } : undefined
  if (event === 'switch_off') return state === 'on' ? { state: 'off', switched } : undefined
  if (event === 'flash') return { state: 'on', switched: switched + 1 }
  return event === 'count' ? { state, switched: switched + (command.by ?? 0) } : undefined
}

/** A timer that fires earlier was armed by an earlier switch-on and has been replaced since. */
const checkTimer = ({ actor, rev, at }: Change, { burnMs }: Lamp, armedAt: number): string[] =>
  at.getTime() < armedAt + burnMs - CLOCKS_MS ? [`a timer fired too early: ${actor} ${rev}`] : []

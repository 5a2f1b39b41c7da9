import type { Kind } from './kind.ts'
import { rowCodec } from './rows.ts'
import { stepper } from './step.ts'

/** Every machine that has been put on the core, checked and ready to step. */
export const registry = (kinds: readonly Kind[]) => {
  const registered = new Map(kinds.map(kind => [kind.name, { kind, ...rowCodec(kind), ...stepper(kind) }]))
  const get = (name: string) => {
    const found = registered.get(name)
    if (!found) throw new Error(`no machine is registered as ${name}`)
    return found
  }
  const refusals = new Map(kinds.flatMap(kind => Object.entries(kind.refusals ?? {})))
  /** What the violation of an expected constraint is answered with. */
  const refusalOf = (constraint: string): string | undefined => refusals.get(constraint)
  return { get, kinds, refusalOf }
}

export type Registry = ReturnType<typeof registry>

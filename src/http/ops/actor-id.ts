import { decodeId } from '../../ids.ts'
import { type MachineName, machineNames, resources } from '../../resources.ts'

/** The kind and the UUID of an actor, by an ID such as `pay_…`. */
export type ActorKey = { readonly kind: MachineName; readonly id: string }

export const decodeActorId = (text: string): ActorKey | undefined => {
  for (const kind of machineNames) {
    const id = decodeId(resources[kind].prefix, text)
    if (id !== undefined) return { kind, id }
  }
  return undefined
}

import { refuse } from '../../errors.ts'
import { decodeId } from '../../ids.ts'
import { findOpsActor, type OpsActor } from '../../queries/ops/actors.ts'
import { type MachineName, machineNames, resources } from '../../resources.ts'
import type { Api } from '../api.ts'

/** The kind and the UUID of an actor, by an ID such as `pay_…`. */
export type ActorKey = { readonly kind: MachineName; readonly id: string }

export const decodeActorId = (text: string): ActorKey | undefined => {
  for (const kind of machineNames) {
    const id = decodeId(resources[kind].prefix, text)
    if (id !== undefined) return { kind, id }
  }
  return undefined
}

/** The actor of a path. A malformed ID is `resource_not_found`. */
export const findActor = async ({ sql }: Pick<Api, 'sql'>, text: string): Promise<OpsActor> => {
  const { kind, id } = decodeActorId(text) ?? refuse('resource_not_found')
  return (await findOpsActor(sql, kind, id)) ?? refuse('resource_not_found')
}

import { type } from 'arktype'
import { encodeId } from '../../ids.ts'
import { kinds } from '../../kinds/all.ts'
import { drivenStates } from '../../kinds/event-marks.ts'
import { findStuck, type StuckActor } from '../../queries/ops/stuck.ts'
import { machineNames, resources } from '../../resources.ts'
import { listStuckDocs } from '../docs/ops.ts'
import { listOf } from '../list.ts'
import { forOperators, type Route } from '../route.ts'

const MOST = 100

export const opsStuckRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/stuck',
      docs: listStuckDocs,
      query: () => type({}),
      handle: async ({ sql }) => {
        const found = await findStuck(sql, kinds, { driven: drivenStates, limit: MOST + 1 })
        return { status: 200, body: listOf(found, MOST, stuckOf) }
      },
    },
  ),
]

const stuckOf = ({ kind, id, state, since, reason }: StuckActor) => {
  const name = machineNames.find(each => each === kind)
  if (!name) throw new Error(`${kind} is no machine of the API`)
  return { kind, id: encodeId(resources[name].prefix, id), state, since: since.toISOString(), reason }
}

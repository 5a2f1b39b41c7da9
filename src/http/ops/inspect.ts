import { type } from 'arktype'
import { refuse } from '../../errors.ts'
import { decodeId } from '../../ids.ts'
import type { InspectorFilter } from '../../queries/ops/inspected.ts'
import { machineNames } from '../../resources.ts'
import { causeWithoutNames } from '../causes.ts'
import { inspectDocs } from '../docs/ops-inspector.ts'
import { forTickets, type Route } from '../route.ts'
import { isUpgrade } from '../sockets.ts'
import { decodeActorId } from './actor-id.ts'

const inspectQuery = () =>
  type({
    ticket: 'string',
    'kind?': type.enumerated(...machineNames),
    'actor?': 'string <= 100',
    'merchantId?': 'string <= 100',
  })

type InspectQuery = { readonly kind?: string; readonly actor?: string; readonly merchantId?: string }

export const inspectRoutes: readonly Route[] = [
  forTickets({
    path: '/v1/ops/inspect',
    docs: inspectDocs,
    query: inspectQuery,
    handle: (api, { query, headers, holder }) => {
      const filter = filterOf(query)
      const causeOf = (cause: string | null) => causeWithoutNames(api, cause)
      if (!isUpgrade(headers)) refuse('parameter_invalid', { param: 'Upgrade' })
      return { status: 101, accept: api.inspector.accept({ filter, holder, causeOf }) }
    },
  }),
]

const filterOf = ({ kind, actor, merchantId }: InspectQuery): InspectorFilter => ({
  kind,
  actor:
    actor === undefined ? undefined : (decodeActorId(actor)?.id ?? refuse('parameter_invalid', { param: 'actor' })),
  merchantId:
    merchantId === undefined
      ? undefined
      : (decodeId('mer', merchantId) ?? refuse('parameter_invalid', { param: 'merchantId' })),
})

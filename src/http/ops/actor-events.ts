import { type } from 'arktype'
import { openPreview, type Preview } from '../../actors/preview.ts'
import { refuse } from '../../errors.ts'
import { encodeId } from '../../ids.ts'
import { kinds } from '../../kinds/all.ts'
import { isForOperators, markOf } from '../../kinds/event-marks.ts'
import { lazy } from '../../lazy.ts'
import { tryAllowRedelivery } from '../../queries/deliveries.ts'
import type { OpsActor } from '../../queries/ops/actors.ts'
import { recordOperatorEvent } from '../../queries/security-events.ts'
import { resources } from '../../resources.ts'
import type { Api } from '../api.ts'
import { causeOfRequest } from '../causes.ts'
import { previewEventDocs, sendEventDocs } from '../docs/ops.ts'
import { forOperators, type Route } from '../route.ts'
import { shownText } from '../text.ts'
import { findActor } from './actor-id.ts'
import { viewActor } from './actor-view.ts'
import { payloadOf } from './payload.ts'

/** Built at the first preview: compiling the machines again would delay every start. */
const preview = lazy(() => openPreview(kinds))

export const opsActorEventRoutes: readonly Route[] = [
  forOperators(
    'POST',
    {},
    {
      path: '/v1/ops/actors/:id/preview',
      docs: previewEventDocs,
      body: () => type({ type: shownText(1, 100), 'payload?': type({ '[string]': 'unknown' }) }),
      handle: async (api, { params, body }) => {
        const found = await findActor(api, params.id)
        if (markOf(found.name, body.type) === undefined) refuse('parameter_invalid', { param: 'type' })
        const made = await previewOf(api, found, body.type, body.payload)
        return { status: 200, body: made.ok ? renderPreview(made) : refuseState(made) }
      },
    },
  ),

  forOperators(
    'POST',
    { stepUp: true },
    {
      path: '/v1/ops/actors/:id/events',
      docs: sendEventDocs,
      body: () => type({ type: shownText(1, 100), reason: shownText(1, 500) }),
      handle: async (api, { params, body, session, address, requestId }) => {
        const found = await findActor(api, params.id)
        if (!isForOperators(found.name, body.type, found.livemode)) refuse('parameter_invalid', { param: 'type' })
        const made = await previewOf(api, found, body.type)
        if (!made.ok) refuseState(made)
        await requireDeliverable(api, found, body.type)
        const by = encodeId('usr', session.accountId)
        // Before the event, so that no event is without an entry, whatever crashes.
        const record = encodeId(resources[found.name].prefix, found.actor.id)
        const { merchantId } = found
        await recordOperatorEvent(api.sql, by, { merchantId, record, event: body.type, reason: body.reason })
        api.log.info({ operator: by, address, record, event: body.type }, 'event of an operator')
        const outcome = await api.actors.dispatch({
          kind: found.name,
          actor: found.actor.id,
          event: { type: body.type },
          cause: causeOfRequest(`operator:${by}`, requestId, body.reason),
        })
        if (!outcome.ok) refuseState(outcome)
        return { status: 200, body: await viewActor(api, await findActor(api, params.id)) }
      },
    },
  ),
]

const previewOf = async (
  api: Api,
  { kind, name, row }: OpsActor,
  event: string,
  payload?: Record<string, unknown>,
): Promise<Preview> => {
  const made = await preview()(api, name, row, { ...payloadOf(kind, payload), type: event })
  // The machine cannot compute with this payload.
  if (!made.ok && made.isFault) refuse('parameter_invalid', { param: 'payload' })
  return made
}

const renderPreview = ({ state, context, events, timers, jobs }: Extract<Preview, { ok: true }>) => ({
  ...{ state, context, events },
  timers: timers.map(({ name, dueAt }) => ({ name, dueAt: dueAt?.toISOString() ?? null })),
  jobs: jobs.map(({ task, runAt }) => ({ task, runAt: runAt?.toISOString() ?? null })),
})

const refuseState = ({ possible }: { readonly possible: readonly string[] }): never =>
  refuse('state_conflict', { details: { possible } })

/** Nothing is sent to an endpoint that is disabled. */
const requireDeliverable = async ({ sql }: Api, { name, actor }: OpsActor, event: string): Promise<void> => {
  if (name !== 'delivery' || event !== 'redeliver') return
  if (!(await tryAllowRedelivery(sql, String(actor.context.endpointId))))
    refuse('state_conflict', { message: 'The webhook endpoint is disabled or deleted.', details: { possible: [] } })
}

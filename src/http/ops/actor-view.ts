import { explainEvents } from '../../actors/explain.ts'
import { snakeCase } from '../../actors/kind.ts'
import { rowCodec } from '../../actors/rows.ts'
import { testClockOf } from '../../actors/test-clocks.ts'
import { encodeId } from '../../ids.ts'
import { drivenStates, isForOperators, markOf } from '../../kinds/event-marks.ts'
import { listJobs, listTimers, type OpsActor } from '../../queries/ops/actors.ts'
import { listRelated } from '../../queries/ops/related.ts'
import type { FoundActor } from '../../queries/ops/search.ts'
import { judgeActor } from '../../queries/ops/stuck.ts'
import { findCustomerTime } from '../../queries/test-clocks.ts'
import { resources } from '../../resources.ts'
import type { Api } from '../api.ts'
import { errorWithoutValues } from './error-text.ts'

/** An actor and why it waits. Of its context only the fields that histories show. */
export const viewActor = async ({ sql, clock }: Pick<Api, 'sql' | 'clock'>, found: OpsActor) => {
  const { kind, name, row, actor, merchantId, livemode } = found
  const [at, timers, jobs, related] = await Promise.all([
    findCustomerTime({ sql, clock }, testClockOf(kind, actor.context)),
    listTimers(sql, actor.id),
    listJobs(sql, found),
    listRelated(sql, found),
  ])
  const stuck = await judgeActor(sql, kind, actor, { driven: drivenStates, timers })
  return {
    object: 'actor',
    id: encodeId(resources[name].prefix, actor.id),
    kind: name,
    merchantId: encodeId('mer', merchantId),
    livemode,
    state: actor.state,
    rev: actor.rev,
    machineVersion: row.version,
    context: shownContext(found),
    possible: explainEvents(kind, actor, at).map(({ event, guards }) => ({
      event,
      by: markOf(name, event)?.by ?? 'system',
      operator: isForOperators(name, event, livemode),
      guards,
    })),
    timers: timers.map(timer => ({ name: timer.name, dueAt: timer.due_at.toISOString() })),
    jobs: jobs.map(({ id, task, run_at, attempts, last_error }) => ({
      ...{ id, task, runAt: run_at.toISOString(), attempts },
      lastError: last_error && errorWithoutValues(last_error),
    })),
    related: related.map(({ relation, ...other }) => ({ relation, ...summaryOf(other) })),
    stuck: stuck && { since: stuck.since.toISOString(), reason: stuck.reason },
    createdAt: actor.createdAt.toISOString(),
    updatedAt: actor.updatedAt.toISOString(),
  }
}

const shownContext = ({ kind, actor }: OpsActor) => rowCodec(kind, Object.keys(kind.columns).map(snakeCase)).show(actor)

export const summaryOf = ({ kind, id, state }: FoundActor) => ({
  kind,
  id: encodeId(resources[kind].prefix, id),
  state,
})

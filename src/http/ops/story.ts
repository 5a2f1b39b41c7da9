import { encodeId } from '../../ids.ts'
import { listTransitions, type TransitionRow } from '../../queries/history.ts'
import type { OpsActor } from '../../queries/ops/actors.ts'
import {
  attemptNumberOf,
  readStory,
  type Story,
  type StoryAttempt,
  type StoryEvent,
  type StorySource,
  type StoryTransfer,
} from '../../queries/ops/story.ts'
import { FROM_CONTRACT } from '../../records/crypto-facts.ts'
import { opsTransitionRecord } from '../../records/ops-transition.ts'
import { machineNames, resources } from '../../resources.ts'
import type { Api } from '../api.ts'
import { causeWithoutNames, reasonOf, requestIdOf } from '../causes.ts'
import { readActorStoryDocs } from '../docs/ops.ts'
import { historyPage, historyQuery } from '../history-page.ts'
import { listOf } from '../list.ts'
import { forOperators, type Route } from '../route.ts'
import { findActor } from './actor-id.ts'

export const opsStoryRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/actors/:id/story',
      docs: readActorStoryDocs,
      query: historyQuery,
      handle: async (api, { params, query }) => {
        const found = await findActor(api, params.id)
        const { name, actor } = found
        const page = await historyPage(query, { recordId: encodeId(resources[name].prefix, actor.id), rev: actor.rev })
        const rows = await listTransitions(api.sql, name, actor.id, page)
        const story = await readStory(api.sql, found, rows.slice(0, query.limit))
        return { status: 200, body: listOf(rows, query.limit, row => stepOf(api, found, { row, story })) }
      },
    },
  ),
]

type Step = { readonly row: TransitionRow; readonly story: Story }

const stepOf = (api: Api, found: OpsActor, { row, story }: Step) => {
  const { name, actor, merchantId } = found
  const actorId = encodeId(resources[name].prefix, actor.id)
  const number = attemptNumberOf(row)
  return {
    object: 'story_step',
    id: `${actorId}:${row.rev}`,
    requestId: requestIdOf(row.cause),
    commandId: story.commands.get(row.rev) ?? null,
    source: row.rev === 1 && story.source ? viewSource(story.source) : null,
    transition: opsTransitionRecord.render(
      { ...row, kind: name, actorId, merchantId },
      { cause: causeWithoutNames(api, row.cause), reason: reasonOf(row.cause) },
    ),
    events: story.events.filter(({ rev }) => rev === row.rev).map(viewEvent),
    attempt: viewAttempt(number === undefined ? undefined : story.attempts.get(number)),
    transfers:
      name === 'refund'
        ? refundTransfers(api, row)
        : story.transfers.filter(({ rev }) => (rev ?? actor.rev) === row.rev).map(each => viewTransfer(api, each)),
  }
}

/** Test events are of no machine. */
const viewSource = ({ eventId, type, kind, actor, rev }: StorySource) => {
  const name = machineNames.find(each => each === kind)
  return { eventId, type, actorId: name ? encodeId(resources[name].prefix, actor) : null, rev }
}

const viewEvent = ({ id, type, deliveries }: StoryEvent) => ({
  ...{ id, type },
  deliveries: deliveries.map(({ id, endpointId, state, attempts }) => ({
    id: encodeId('whd', id),
    endpointId: encodeId('whe', endpointId),
    state,
    attempts: attempts.flatMap(attempt => viewAttempt(attempt) ?? []),
  })),
})

const viewAttempt = (attempt: StoryAttempt | undefined) =>
  attempt ? { ...attempt, startedAt: new Date(attempt.startedAt).toISOString() } : null

/** Without the sender: that is the customer. */
const viewTransfer = (api: Api, transfer: StoryTransfer) => {
  const { rev, chainId, logIndex, amount, tokenAddress, state, minedAt } = transfer
  const txHash = logIndex === FROM_CONTRACT ? null : transfer.txHash
  return {
    ...placeOf(api, chainId, txHash),
    ...{ amount, tokenAddress, state, minedAt: minedAt.toISOString(), counted: rev !== null },
  }
}

const refundStates: Readonly<Record<string, 'sent' | 'final' | 'failed'>> = {
  transaction_sent: 'sent',
  transaction_replaced: 'sent',
  transaction_verified: 'final',
  transaction_failed: 'failed',
}

const refundTransfers = (api: Api, { event, context }: TransitionRow) => {
  const state = refundStates[event]
  if (state === undefined || typeof context?.txHash !== 'string') return []
  const place = placeOf(api, Number(context.chainId), context.txHash)
  return [{ ...place, amount: String(context.amount), tokenAddress: null, state, minedAt: null, counted: true }]
}

const placeOf = ({ chains }: Api, chainId: number, txHash: string | null) => {
  const chain = chains.find(chainId)?.chain
  return {
    chainId,
    network: chain?.network ?? `Chain ${chainId}`,
    txHash,
    explorerUrl: chain?.explorerUrl && txHash !== null ? `${chain.explorerUrl}/tx/${txHash}` : null,
  }
}

import { type Type, type } from 'arktype'
import { example, exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { chainId, count, time, timeOrNull, uuid } from '../../fields/wire.ts'
import { mostPerStep } from '../../queries/ops/story.ts'
import { attemptOutcomes } from '../attempt-outcomes.ts'
import { opsTransitionRecord } from '../ops-transition.ts'

const attempt = () =>
  type({
    number: count(),
    startedAt: time(),
    durationMs: count().or('null'),
    outcome: type.enumerated(...Object.keys(attemptOutcomes), null) as Type<string | null>,
    httpStatus: count().or('null'),
  })

/** A transition with what led to it and what followed from it. */
export const storyStep = shape({
  name: 'StoryStep',
  type: () =>
    type({
      object: "'story_step'",
      id: 'string',
      requestId: uuid().or('null'),
      commandId: uuid().or('null'),
      source: type({
        eventId: uuid(),
        type: 'string',
        actorId: 'string | null',
        rev: count(),
      }).or('null'),
      transition: opsTransitionRecord.type(),
      events: type({
        id: uuid(),
        type: 'string',
        deliveries: type({ id: 'string', endpointId: 'string', state: 'string', attempts: attempt().array() }).array(),
      }).array(),
      attempt: attempt().or('null'),
      transfers: type({
        chainId: chainId(),
        network: 'string',
        txHash: 'string | null',
        explorerUrl: 'string | null',
        amount: 'string',
        tokenAddress: 'string | null',
        state: "'seen' | 'final' | 'orphaned' | 'sent' | 'failed'",
        minedAt: timeOrNull(),
        counted: 'boolean',
      }).array(),
    }),
  parts: [opsTransitionRecord],
  example: {
    object: 'story_step',
    id: `${exampleId('payment')}:4`,
    requestId: null,
    commandId: exampleId('event'),
    source: null,
    transition: opsTransitionRecord.example,
    events: [
      {
        id: exampleId('event'),
        type: 'payment.succeeded',
        deliveries: [
          {
            id: exampleId('delivery'),
            endpointId: exampleId('webhook_endpoint'),
            state: 'pending',
            attempts: [{ number: 1, startedAt: example.later, durationMs: 84, outcome: 'http_error', httpStatus: 500 }],
          },
        ],
      },
    ],
    attempt: null,
    transfers: [
      {
        chainId: 8453,
        network: 'Base',
        txHash: example.txHash,
        explorerUrl: `https://basescan.org/tx/${example.txHash}`,
        amount: '49000000',
        tokenAddress: example.address,
        state: 'final',
        minedAt: example.at,
        counted: true,
      },
    ],
  },
  inside: {
    id: 'Unique identifier: that of the transition.',
    requestId:
      'ID of the request that sent the command, as in its `Request-Id` header and in the log. Null for others.',
    commandId:
      'ID of the command that the machine took. Null for a change that is recorded in another table, such as the creation of a delivery.',
    source: 'Event that a delivery sends, for the creation of the delivery. Null for other changes.',
    'source.eventId': 'ID of the event.',
    'source.type': 'Type of the event.',
    'source.actorId': 'ID of the actor that has published it. Null for a test event.',
    'source.rev': 'Number of the change that has published it.',
    transition: 'The change itself.',
    events: 'Public events that the change has published.',
    'events.id': 'ID of the event.',
    'events.type': 'Type of the event.',
    'events.deliveries': `Deliveries of the event; at most ${mostPerStep.deliveries}.`,
    'events.deliveries.id': 'ID of the delivery.',
    'events.deliveries.endpointId': 'ID of the webhook endpoint.',
    'events.deliveries.state': 'State of the delivery now.',
    'events.deliveries.attempts': `Its latest attempts; at most ${mostPerStep.attempts}.`,
    'events.deliveries.attempts.number': 'Number of the attempt, starting at 1.',
    'events.deliveries.attempts.startedAt': 'Time at which the attempt was started.',
    'events.deliveries.attempts.durationMs': 'Duration in milliseconds. Null if the result is not known.',
    'events.deliveries.attempts.outcome': 'Result of the attempt. Null while it is in progress.',
    'events.deliveries.attempts.httpStatus': 'HTTP status of the response. Null if there was none.',
    attempt: 'Attempt of a delivery that ended with this change. Null for other changes.',
    'attempt.number': 'Number of the attempt, starting at 1.',
    'attempt.startedAt': 'Time at which the attempt was started.',
    'attempt.durationMs': 'Duration in milliseconds. Null if the result is not known.',
    'attempt.outcome': 'Result of the attempt. Null while it is in progress.',
    'attempt.httpStatus': 'HTTP status of the response. Null if there was none.',
    transfers: `Transfers that led to the change, of the latest ${mostPerStep.transfers} of the payment; for a refund the transaction that the change is about.`,
    'transfers.chainId': 'Chain ID.',
    'transfers.network': 'Name of the network.',
    'transfers.txHash': 'Hash of the transaction. Null for native currency that a contract transferred.',
    'transfers.explorerUrl': 'Page of the transaction in a block explorer. Null if there is none.',
    'transfers.amount': 'Amount in atomic units of the asset.',
    'transfers.tokenAddress': 'Contract of the token. Null for native currency, and for refunds.',
    'transfers.state':
      'For payments `seen`, `final` or `orphaned`, as it is now. For refunds `sent`, `final` or `failed`, as the change has it.',
    'transfers.minedAt': 'Time of its block. Null for refunds.',
    'transfers.counted':
      'False if no change of the payment has followed the transfer yet. It is then listed with the last change.',
  },
})

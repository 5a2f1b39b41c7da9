import { type Type, type } from 'arktype'
import { idField, rowFields } from '../fields/every-record.ts'
import { example } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { count, text, timeOrNull } from '../fields/wire.ts'
import type { WaitingEndpoint } from '../queries/ops/endpoints.ts'
import { attemptOutcomes } from './attempt-outcomes.ts'
import { webhookEndpointRecord } from './webhook-endpoint.ts'

/** A webhook endpoint that is failing or has deliveries to send. */
export const opsEndpointRecord = recordOf<WaitingEndpoint>()('OpsEndpoint', {
  id: idField('webhook_endpoint', row => row.id),
  merchantId: rowFields.merchantId,
  livemode: rowFields.livemode,
  host: {
    type: text,
    about: 'Host and port of the URL. Its path and its parameters may be secret and are not shown.',
    example: 'lamps.shop',
    of: ({ url }) => hostOf(url),
  },
  status: { ...webhookEndpointRecord.fields.status, of: ({ state }) => state },
  disabledReason: { ...webhookEndpointRecord.fields.disabledReason, of: row => row.disabled_reason },
  due: {
    type: count,
    about: 'Deliveries that could be sent now and are not. The 10,000 oldest deliveries of all endpoints are counted.',
    example: 0,
    of: ({ due }) => due,
  },
  oldestAgeMs: {
    type: count,
    about: 'How long the oldest of them has been due, in milliseconds. 0 if none is due.',
    example: 0,
    of: row => row.oldestAgeMs,
  },
  scheduled: {
    type: count,
    about: 'Deliveries that are planned for later, such as retries.',
    example: 3,
    of: ({ scheduled }) => scheduled,
  },
  retrying: {
    type: count,
    about: 'Of the due and the planned ones, those with a failed attempt.',
    example: 3,
    of: ({ retrying }) => retrying,
  },
  retryingSince: {
    type: timeOrNull,
    about: 'When the oldest of those was created. Null if there is none.',
    example: example.at,
    of: row => row.retrying_since?.toISOString() ?? null,
  },
  lastOutcome: {
    type: (): Type<string | null> => type.enumerated(...Object.keys(attemptOutcomes), null),
    about: 'Result of the last attempt of that delivery, as in the attempts of a delivery. Null if there is none.',
    example: 'http_error',
    of: ({ outcome }) => outcome,
  },
  lastHttpStatus: {
    type: () => count().or('null'),
    about: 'HTTP status of that attempt. Null if there was no response.',
    example: 503,
    of: row => row.http_status,
  },
  lastSuccessAt: {
    type: timeOrNull,
    about: 'Time of the last 2xx response of the endpoint. Null before the first one.',
    example: example.at,
    of: row => row.last_success_at?.toISOString() ?? null,
  },
})

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '')

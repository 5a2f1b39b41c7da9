import { type } from 'arktype'
import { constantField } from '../fields/every-record.ts'
import { example, exampleId } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { text, texts, time, uuid } from '../fields/wire.ts'
import type { InboxRequestRow } from '../queries/inbox-requests.ts'

export const inboxRequestRecord = recordOf<InboxRequestRow>()('InboxRequest', {
  object: constantField('inbox_request'),
  id: {
    type: uuid,
    about: 'Unique identifier.',
    example: exampleId('event'),
    of: row => row.id,
  },
  receivedAt: {
    type: time,
    about: 'Time at which the request arrived. ISO 8601 in UTC, with milliseconds.',
    example: example.at,
    of: row => row.received_at.toISOString(),
  },
  headers: {
    type: texts,
    about:
      'Headers of the request, by their names in lower case: at most 20, each with up to 200 characters, without cookies and credentials.',
    example: { 'content-type': 'application/json', 'service-signature': 't=1795176000,v1=…' },
    of: row => row.headers,
  },
  body: {
    type: text,
    about: 'Body of the request, as it arrived.',
    example: '{"id":"…","type":"payment.succeeded"}',
    of: row => row.body,
  },
  signatureValid: {
    type: () => type('boolean'),
    about:
      'Whether the `Service-Signature` header is a signature of this body with the secret of the endpoint, made at most five minutes before or after the request arrived.',
    example: true,
    of: row => row.signature_valid,
  },
})

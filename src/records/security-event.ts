import { type } from 'arktype'
import { constantField, rowFields } from '../fields/every-record.ts'
import { example, exampleId } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { text, textOrNull, time, uuid } from '../fields/wire.ts'
import type { SecurityEventRow } from '../queries/security-events.ts'

/** An entry of the audit log. It never changes. */
export const securityEventRecord = recordOf<SecurityEventRow>()('SecurityEvent', {
  object: constantField('security_event'),
  id: { type: uuid, about: 'Unique identifier, a UUID.', example: exampleId('security_event'), of: row => row.id },
  merchantId: rowFields.merchantId,
  actor: {
    type: text,
    about:
      'Who made the change: the ID of an account, `operator` (the operator, at the command line), or `service` (the server itself).',
    example: exampleId('member'),
    of: row => row.actor,
  },
  email: {
    type: textOrNull,
    about: 'E-mail address of the account. Null if the change was not made by an account.',
    example: 'anna@lamps.shop',
    of: row => row.email,
  },
  address: {
    type: textOrNull,
    about: 'IP address that the change was made from. Null if there is none.',
    example: '203.0.113.7',
    of: row => row.address,
  },
  action: {
    type: text,
    about: 'What was done, such as `api_key.created`.',
    example: 'api_key.created',
    of: row => row.action,
  },
  details: {
    type: () => type({ '[string]': 'unknown' }),
    about: 'Details of the change. The fields depend on `action`.',
    example: { keyId: exampleId('api_key') },
    of: row => row.details,
  },
  createdAt: { type: time, example: example.at, of: row => row.at.toISOString() },
  updatedAt: { type: time, example: example.at, of: row => row.at.toISOString() },
})

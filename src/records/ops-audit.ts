import { type } from 'arktype'
import { example, exampleId } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { count, idOf, text, textOrNull, time, timeOrNull, uuid } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import type { AuditCheck, AuditRow } from '../queries/audits.ts'

const check = groupOf<AuditCheck>()({
  name: {
    type: text,
    about: 'The invariant and what would break it.',
    example: 'I7: a timer overdue by more than a minute',
    of: ({ name }) => name,
  },
  status: {
    type: () => type("'clean' | 'findings' | 'failed'"),
    about: '`findings`: the invariant is broken. `failed`: it could not be checked.',
    example: 'clean' as const,
    of: ({ status }) => status,
  },
  count: { type: count, about: 'Number of breaches.', example: 0, of: ({ count }) => count },
  sample: {
    type: textOrNull,
    about: 'ID of one breach. Null if there is none.',
    example: null,
    of: ({ sample }) => sample,
  },
})

const startedBy = groupOf<AuditRow>()({
  type: {
    type: () => type("'schedule' | 'operator' | 'command'"),
    about: '`schedule`: the audit of each night. `command`: `bun run audit`.',
    example: 'operator' as const,
    of: row => row.started_by,
  },
  id: {
    type: () => idOf('usr').or('null'),
    about: 'The operator. Null otherwise.',
    example: exampleId('member'),
    of: ({ account_id }) => account_id && encodeId('usr', account_id),
  },
})

/** A run of the audit. */
export const opsAuditRecord = recordOf<AuditRow>()('OpsAudit', {
  id: {
    type: uuid,
    about: 'Unique identifier, a UUID.',
    example: '0193a000-0000-7000-8000-000000000060',
    of: ({ id }) => id,
  },
  status: {
    type: () => type("'running' | 'clean' | 'findings' | 'failed'"),
    about: '`clean`: every invariant holds. `findings`: one is broken. `failed`: the run did not reach its end.',
    example: 'clean' as const,
    of: ({ status }) => status,
  },
  startedBy: {
    type: () => startedBy.type(),
    about: 'What started it.',
    inside: startedBy.inside,
    example: startedBy.example,
    of: startedBy.render,
  },
  startedAt: {
    type: time,
    about: 'When it was started.',
    example: example.at,
    of: row => row.started_at.toISOString(),
  },
  finishedAt: {
    type: timeOrNull,
    about: 'When it ended. Null while it is running.',
    example: example.later,
    of: row => row.finished_at?.toISOString() ?? null,
  },
  checks: {
    type: () => check.type().array(),
    about: 'The checks, in the order in which they ended. Empty while it is running.',
    inside: check.inside,
    example: [check.example],
    of: ({ checks }) => checks.map(check.render),
  },
})

import { expect, test } from 'bun:test'
import { disputes } from './dispute-cases.ts'
import { arrive, creation } from './table.ts'

test('a new dispute publishes its event, and evidence is due in seven days', () => {
  expect(creation(disputes)).toEqual({ to: 'needs_response', effects: 'dispute.opened +evidenceDue', changes: '' })
  expect(arrive(disputes, '').context.evidenceDueBy).toEqual(new Date('2026-11-27T12:00:00.000Z'))
})

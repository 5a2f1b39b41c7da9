import { listShape } from '../../fields/shape.ts'
import { testClockRecord } from '../../kinds/test-clock.ts'
import type { Docs } from './docs.ts'

export const createTestClockDocs: Docs = {
  operation: 'createTestClock',
  summary: 'Create a test clock',
  description:
    'Create customers with its ID as `testClockId`: all times of their invoices are those of the clock, and reminders and due dates come when it is advanced. Numbers of their documents are a series of their own, which begins with `TEST-` and the last six characters of the ID of the clock. Payments, chains and webhook deliveries have the real time.',
  answers: { 201: testClockRecord },
  refusals: ['idempotency_key_reused'],
  fields: { now: 'Time that the clock shows first, within a year of the present. Default: the present.' },
  example: { now: '2026-11-01T00:00:00.000Z' },
}

export const createTestClockAsMemberDocs: Docs = { ...createTestClockDocs, refusals: [] }

export const listTestClocksDocs: Docs = {
  operation: 'listTestClocks',
  summary: 'List test clocks',
  description: 'Deleted clocks are not in the list.',
  answers: { 200: listShape(testClockRecord) },
}

export const getTestClockDocs: Docs = {
  operation: 'getTestClock',
  summary: 'Retrieve a test clock',
  answers: { 200: testClockRecord },
}

export const advanceTestClockDocs: Docs = {
  operation: 'advanceTestClock',
  summary: 'Advance a test clock',
  description:
    'Returns immediately. While the status is `advancing`, what becomes due is applied in the order of its time, and `now` moves along. What waits for a payment that is `processing` holds the clock at its time until that payment has changed. Then the status is `ready`.',
  answers: { 200: { ...testClockRecord, example: { ...testClockRecord.example, status: 'advancing' } } },
  refusals: ['state_conflict', 'idempotency_key_reused'],
  fields: { to: 'Time to advance to: later than `now`, by at most two years.' },
  example: { to: '2026-12-01T00:00:00.000Z' },
}

export const advanceTestClockAsMemberDocs: Docs = { ...advanceTestClockDocs, refusals: ['state_conflict'] }

export const deleteTestClockDocs: Docs = {
  operation: 'deleteTestClock',
  summary: 'Delete a test clock',
  description:
    'The clock can no longer be retrieved or advanced. Its customers and their records stay as they are, and their time stands still.',
  answers: { 204: null },
}

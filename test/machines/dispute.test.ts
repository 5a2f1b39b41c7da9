import { describe, expect, test } from 'bun:test'
import { disputes } from './dispute-cases.ts'
import { arrive, creation, differences, shortestPaths } from './table.ts'

describe('dispute', () => {
  test('a new dispute publishes its event, and evidence is due in seven days', () => {
    expect(creation(disputes)).toEqual({ to: 'needs_response', effects: 'dispute.opened +evidenceDue', changes: '' })
    expect(arrive(disputes, '').context.evidenceDueBy).toEqual(new Date('2026-11-27T12:00:00.000Z'))
  })

  test('every event has the listed outcome in every situation, and is refused where none is listed', () => {
    expect(
      differences(
        disputes,
        `
      Evidence is collected until it is submitted, or lost for want of an answer.
      new                        | give policy       | stays        |                               | refundPolicy=14 days
      policy given               | give policy       | stays        |                               |
      new, policy given          | submit nothing    | under_review | -evidenceDue +decision        |
      new, policy given          | submit tracking   | under_review | -evidenceDue +decision        | shippingTrackingNumber=1Z
      new, policy given          | submit winning    | under_review | -evidenceDue +decision        | uncategorizedText=winning_evidence
      new, policy given          | submit losing     | under_review | -evidenceDue +decision        | uncategorizedText=losing_evidence
      new, policy given          | after evidenceDue | lost         | -evidenceDue dispute.resolved |

      Two texts decide by themselves; everything may be resolved by hand.
      winning                    | after decision    | won          | -decision dispute.resolved    |
      losing                     | after decision    | lost         | -decision dispute.resolved    |
      submitted, winning, losing | resolve won       | won          | -decision dispute.resolved    |
      submitted, winning, losing | resolve lost      | lost         | -decision dispute.resolved    |
      `,
      ),
    ).toEqual([])
  })

  test('every state is reached', () => {
    expect(shortestPaths(disputes)).toEqual({
      needs_response: '',
      under_review: 'submit nothing',
      won: 'submit nothing, resolve won',
      lost: 'after evidenceDue',
    })
  })
})

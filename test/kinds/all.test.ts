import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import {
  type AnyMachineSnapshot,
  type AnyStateNode,
  type ExecutableActionObject,
  initialTransition,
  transition,
} from 'xstate'
import { checkMachine } from '../../src/actors/machine-rules.ts'
import { stepper } from '../../src/actors/step.ts'
import { linkEventOf } from '../../src/kinds/payment.ts'
import { reservationEventOf } from '../../src/kinds/refund.ts'
import { askedBy } from '../actors/asked-by.ts'
import { payments } from '../machines/payment-cases.ts'
import { refunds } from '../machines/refund-cases.ts'
import { arrive, outcomes, T0 } from '../machines/table.ts'
import { everyActor, subjects } from './subjects.ts'

/** Fields with personal data, for readers of the record only. */
const personalFields = [
  ...['customerEmail', 'customerName', 'metadata', 'description', 'successUrl'],
  ...['uncategorizedText', 'customerCommunication', 'shippingTrackingNumber', 'refundPolicy'],
  ...['email', 'name', 'company', 'taxId', 'locale', 'customer', 'notes'],
]

for (const { kind, subject } of subjects) {
  describe(kind.name, () => {
    test('the core accepts its machine', () => {
      expect(() => checkMachine(kind)).not.toThrow()
    })

    test('the core steps it as XState does, with the same events, timers and effects', () => {
      const core = stepper(kind)
      const input = { at: T0, ...subject.input }
      expect(core.begin(input)).toEqual(steppedTo(initialTransition(subject.machine, input)))
      const steps = outcomes(subject).flatMap(({ before, event }) => (before && event ? [{ before, event }] : []))
      for (const { before, event } of steps) {
        expect(core.take(String(before.value), before.context, event)).toEqual(
          steppedTo(transition(subject.machine, before, event)),
        )
      }
      expect(steps.length).toBeGreaterThanOrEqual(subject.minSteps)
    })

    test('every context field has a column, and every column a field', () => {
      expect(Object.keys(kind.columns).sort()).toEqual(Object.keys(arrive(subject, '').context).sort())
    })

    test('its history contains no personal data', () => {
      expect(kind.history.filter(field => personalFields.includes(field))).toEqual([])
    })

    test('every effect is a job or a function, every timer has a time, and every event a record', async () => {
      const schema = await readFile(new URL('../schema.sql', import.meta.url), 'utf8')
      const [actor] = everyActor(kind, subject)
      if (!actor) throw new Error('there is no actor to try it with')
      const nodes: AnyStateNode[] = [kind.machine.root, ...(Object.values(kind.machine.states) as AnyStateNode[])]
      for (const { after } of nodes) {
        for (const { delay } of after) {
          const due = kind.timers?.[String(delay)]?.(actor.context, T0)
          expect(due === null || due instanceof Date).toBe(true)
        }
      }
      for (const name of nodes.flatMap(actionsOf)) {
        const { type, event } = typeof name === 'string' ? { type: name } : name
        const implementation = kind.machine.implementations.actions[type]
        if (type === 'xstate.emit') {
          expect(kind.publish?.(event?.type ?? '', actor)).toMatchObject({ livemode: false, apiVersion: '2026-11-20' })
        } else if (!type.startsWith('xstate.') && !(implementation && 'type' in implementation)) {
          const written = kind.writes?.[type]
          if (written) {
            const begun = (subject.walk.inputs ?? []).map(input => ({ ...subject, input, situations: { new: '' } }))
            const actors = [subject, ...begun].flatMap(each => everyActor(kind, each))
            const functions = actors.flatMap(each => written(each, each)?.function ?? [])
            expect(functions.length).toBeGreaterThan(0)
            for (const name of functions)
              expect(schema).toMatch(new RegExp(`FUNCTION public\\.${name}\\(\\w+ uuid, given json\\)`))
          } else {
            const requested = everyActor(kind, subject).map(each =>
              kind.effects?.[type]?.(each, undefined, { id: 'x', at: T0 }),
            )
            expect(requested.find(job => job)?.task).toBeString()
          }
        }
      }
    })
  })
}

const steppedTo = ([after, actions]: readonly [AnyMachineSnapshot, ExecutableActionObject[], ...unknown[]]) => ({
  state: String(after.value),
  context: after.context,
  requested: askedBy(actions),
})

type Named = string | { type: string; event?: { type: string } }

const actionsOf = (node: AnyStateNode): Named[] =>
  [
    ...node.entry,
    ...node.exit,
    ...[...node.transitions.values()].flat().flatMap(({ actions }) => actions),
    ...(node.parent ? [] : node.initial.actions),
  ].map(action => action as Named)

describe('commands that are dispatched in the same bundle', () => {
  test('a link is updated for every payment that starts or stops processing or succeeds', () => {
    const processing: Record<string, number> = {
      payment_processing: 1,
      payment_reverted: -1,
      payment_succeeded: -1,
      payment_accepted: 0,
    }
    const successes: Record<string, number> = {
      payment_processing: 0,
      payment_reverted: 0,
      payment_succeeded: 1,
      payment_accepted: 1,
    }
    for (const { before, event, after } of outcomes(payments)) {
      if (!before) continue
      const linkEvents = linkEventOf[event.type as keyof typeof linkEventOf]
      const changes = (state: string) => Number(after.value === state) - Number(before.value === state)
      expect<unknown>([event.type, changes('processing'), changes('success')]).toEqual([
        event.type,
        linkEvents ? processing[linkEvents] : 0,
        linkEvents ? successes[linkEvents] : 0,
      ])
    }
  })

  test('a payment keeps reserved what its refunds need', () => {
    const reserved = { reserve_refund: 1, release_refund: -1, refund_processed: 0 }
    const holds = (state: unknown) => Number(state !== 'failed' && state !== 'canceled')
    for (const { before, event, after } of outcomes(refunds)) {
      const type = (event?.type ?? 'create') as keyof typeof reservationEventOf
      if (!before && after.value !== 'requires_destination') continue
      const linkEvents = reservationEventOf[type]
      // A failed refund is reserved again first, in the bundle of the person who accepts it.
      if (before?.value === 'failed' && type === 'transaction_verified') {
        expect([after.value, reservationEventOf.retry]).toEqual(['processed', 'reserve_refund'])
        continue
      }
      expect([type, holds(after.value) - (before ? holds(before.value) : 0)]).toEqual([
        type,
        linkEvents ? reserved[linkEvents] : 0,
      ])
      expect([type, linkEvents === 'refund_processed']).toEqual([type, type === 'transaction_verified'])
    }
  })
})

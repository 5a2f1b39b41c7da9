import { listShape } from '../../fields/shape.ts'
import { opsTransitionRecord } from '../../records/ops-transition.ts'
import type { Docs } from './docs.ts'

export const listActorTransitionsDocs: Docs = {
  operation: 'listActorTransitions',
  summary: 'List the transitions of an actor',
  description: 'All changes of a payment, refund, payment link, dispute or delivery, oldest first. They never change.',
  answers: { 200: listShape(opsTransitionRecord) },
}

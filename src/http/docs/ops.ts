import { listShape } from '../../fields/shape.ts'
import { opsTransitionRecord } from '../../records/ops-transition.ts'
import { opsMachine, opsMachineWithDefinition } from '../../records/shapes/ops-machine.ts'
import type { Docs } from './docs.ts'

export const listMachinesDocs: Docs = {
  operation: 'listMachines',
  summary: 'List the state machines',
  description:
    'Every machine with its states and transitions, the number of actors in each state now, and how often and how fast actors moved on in the window.',
  answers: { 200: listShape(opsMachine) },
}

export const getMachineDocs: Docs = {
  operation: 'getMachine',
  summary: 'Retrieve a state machine',
  description: 'The machine as in the list, with its definition.',
  answers: { 200: opsMachineWithDefinition },
  refusals: ['resource_not_found'],
}

export const listActorTransitionsDocs: Docs = {
  operation: 'listActorTransitions',
  summary: 'List the transitions of an actor',
  description: 'All changes of a payment, refund, payment link, dispute or delivery, oldest first. They never change.',
  answers: { 200: listShape(opsTransitionRecord) },
}

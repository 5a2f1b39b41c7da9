import { listShape } from '../../fields/shape.ts'
import { transitionRecord } from '../../records/transition.ts'
import type { Docs } from './docs.ts'

/** `name`: as in the names of methods, such as `Payment`. `what`: as in a sentence, such as `a payment`. */
export const historyDocs = (name: string, what: string): Docs => ({
  operation: `list${name}History`,
  summary: `List the history of ${what}`,
  description: 'All changes of the status and of other facts, oldest first. They never change.',
  answers: { 200: listShape(transitionRecord) },
})

import { expect, test } from 'bun:test'
import { type FirstHour, stepsOf } from '../../../src/web/dashboard/home/first-hour.ts'
import { links, settings } from './samples.ts'

const facts: FirstHour = {
  ...{ settings, link: undefined, hasLink: false, pending: undefined, hasPaid: false },
  ...{ inbox: undefined, hasDelivered: false, hasKey: false, hasMfa: false },
}
const [link] = links

test.each([
  ['a shop without links', {}, false],
  ['a shop whose customers have only paid invoices', { hasPaid: true }, false],
  ['a shop with a link that can be paid', { link, hasLink: true }, true],
  ['a shop whose link was closed before anything was paid', { hasLink: true }, false],
  ['a shop whose link was closed after a payment', { hasLink: true, hasPaid: true }, true],
])('whether %s has taken the step of creating one', (_, more, isDone) => {
  const steps = stepsOf({ ...facts, ...more }, { livemode: false, isOwner: true })
  expect(steps.find(({ name }) => name === 'link')).toEqual({ name: 'link', isDone })
})

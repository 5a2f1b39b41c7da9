import { expect, test } from 'bun:test'
import { type FirstHour, stepsOf } from '../../../src/web/dashboard/home/first-hour.ts'
import { links, settings } from './samples.ts'

const facts: FirstHour = {
  ...{ settings, link: undefined, pending: undefined, hasPaid: false },
  ...{ inbox: undefined, hasDelivered: false, hasKey: false, hasMfa: false },
}
const [link] = links

test.each([
  ['a shop without links', {}, [false, false]],
  ['a shop with a link that can be paid', { link }, [true, false]],
  ['a shop whose link was paid and closed', { hasPaid: true }, [true, true]],
])('of %s, the steps to create a link and to pay it are done when records show it', (_, more, done) => {
  const steps = stepsOf({ ...facts, ...more }, { livemode: false, isOwner: true })
  const isDone = (step: string) => steps.find(({ name }) => name === step)?.isDone
  expect([isDone('link'), isDone('pay')]).toEqual(done)
})

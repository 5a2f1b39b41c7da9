import { expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { deliveries } from './delivery-cases.ts'
import { disputes } from './dispute-cases.ts'
import { payments } from './payment-cases.ts'
import { paymentLinks } from './payment-link-cases.ts'
import { refunds } from './refund-cases.ts'
import { arrive } from './table.ts'

const folder = new URL('../../machines/', import.meta.url)

for (const [name, subject] of Object.entries({ payments, refunds, paymentLinks, disputes, deliveries })) {
  test(`the table of ${name} covers every event of the machine in every state`, () => {
    const tried = new Set(Object.values(subject.events).map(event => event.type))
    expect(subject.machine.events.filter(type => !type.startsWith('xstate.') && !tried.has(type))).toEqual([])

    const situated = new Set(Object.values(subject.situations).map(path => String(arrive(subject, path).value)))
    expect(Object.keys(subject.machine.states).filter(state => !situated.has(state))).toEqual([])
  })
}

test('machines import only XState and each other', async () => {
  for (const file of await readdir(folder)) {
    const text = await readFile(new URL(file, folder), 'utf8')
    const imports = [...text.matchAll(/ from '(.*)'/g)].map(([, from]) => from)
    expect(imports.filter(from => from !== 'xstate' && !from?.startsWith('./'))).toEqual([])
  }
})

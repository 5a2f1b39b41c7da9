import { describe, expect, test } from 'bun:test'
import { customerChangesIn, customerDraftOf, faultsIn } from '../../../src/web/dashboard/customers/customer-draft.ts'
import { customers } from './samples.ts'

const [ada] = customers

describe('an edited customer', () => {
  test('only what differs is sent; an emptied field is null', () => {
    expect(customerChangesIn({}, ada)).toEqual({})
    expect(customerChangesIn({ name: ` ${ada?.name} `, company: '', reference: 'account 8' }, ada)).toEqual({
      ...{ company: null, reference: 'account 8' },
    })
    const none = { line1: ' ', line2: '', postalCode: '', city: '', state: '', country: '' }
    expect(customerChangesIn({ address: none, metadata: [{ key: ' tier ', value: 'silver' }] }, ada)).toEqual({
      ...{ address: null, metadata: { tier: 'silver' } },
    })
  })

  test('of a new one, what was entered', () => {
    expect(customerChangesIn({ email: ' ada@example.com ', name: '' }, undefined)).toEqual({ email: 'ada@example.com' })
  })

  test('faults are named where they are', () => {
    const draft = customerDraftOf(ada)
    expect(faultsIn(draft)).toEqual({ email: false, address: false, metadata: [false] })
    const metadata = [
      { key: 'a', value: '' },
      { key: '', value: '' },
      { key: ' ', value: 'x' },
      { key: 'a ', value: 'y' },
    ]
    expect(faultsIn({ ...draft, email: 'ada', address: { ...draft.address, city: '' }, metadata })).toEqual({
      ...{ email: true, address: true },
      metadata: [false, false, 'no_key', 'twice'],
    })
  })
})

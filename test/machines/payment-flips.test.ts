import { describe, expect, test } from 'bun:test'
import { hash, payments } from './payment-cases.ts'
import { arrive, minutes, type Subject, step } from './table.ts'

const { 'lose all in minute 25': lose, 'see 1000': see } = payments.events
const again = { ...see, scan: 6 }

const subject: Subject = {
  ...payments,
  events: {
    ...payments.events,
    'lose it': { ...lose, type: 'reorganized', scan: 5 },
    'lose it in minute 30': { ...lose, type: 'reorganized', at: minutes(30) },
    'lose what one node told': { ...lose, type: 'reorganized', hasLostAgreed: false },
    'see it again': { ...again, type: 'enough_seen' },
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [
        `see another ${n}`,
        { ...see, type: 'enough_seen', txHash: `0x${String(n).padStart(64, '0')}` },
      ]),
    ),
  },
}

describe('a transfer that comes and goes', () => {
  test('lengthens the window once', () => {
    const once = arrive(subject, 'pick, see 1000, lose it')
    expect(once.context).toMatchObject({ expiresAt: minutes(35), windowLengthened: true })
    expect(arrive(subject, 'pick, see 1000, lose it, see 1000, lose it in minute 30').context).toMatchObject({
      expiresAt: minutes(35),
    })
  })

  test('leaves the window to be lengthened later where it is long enough already', () => {
    const early = arrive(subject, 'pick, see 1000, lose all')
    expect(early.context).toMatchObject({ expiresAt: minutes(30), windowLengthened: false })
    expect(arrive(subject, 'pick, see 1000, lose all, see 1000, lose it').context).toMatchObject({
      expiresAt: minutes(35),
    })
  })

  test('lengthens no window when one node alone had told of it', () => {
    expect(arrive(subject, 'pick, see 1000, lose what one node told')).toMatchObject({
      value: 'pending',
      context: { expiresAt: minutes(30), windowLengthened: false },
    })
  })

  test('is announced once, and another transaction once as well', () => {
    const lost = arrive(subject, 'pick, see 1000, lose it')
    expect(step(subject, lost, 'see it again')).toMatchObject({ to: 'processing', asks: '' })
    expect(step(subject, lost, 'see another 1')).toMatchObject({ to: 'processing', asks: 'payment.processing' })
    const both = arrive(subject, 'pick, see 1000, lose it, see another 1, lose it')
    expect(step(subject, both, 'see it again')).toMatchObject({ to: 'processing', asks: '' })
  })

  test('under ever new hashes is announced no more than sixteen times', () => {
    const path = Array.from({ length: 16 }, (_, n) => `see another ${n}, lose it`).join(', ')
    const announced = arrive(subject, `pick, ${path}`)
    expect(step(subject, announced, 'see another 16')).toMatchObject({ to: 'processing', asks: '' })
    expect(step(subject, announced, 'see only 400')).toMatchObject({ asks: 'payment.underpaid' })
    expect(announced.context.announced).not.toContain(`processing ${hash(7)}`)
  })
})

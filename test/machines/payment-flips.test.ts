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
    'lose what one node reported': { ...lose, type: 'reorganized', hasLostAgreed: false },
    'see it again': { ...again, type: 'enough_seen' },
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [
        `see another ${n}`,
        { ...see, type: 'enough_seen', txHash: `0x${String(n).padStart(64, '0')}` },
      ]),
    ),
  },
}

// `toMatchObject` takes every time for equal.
const windowAfter = (path: string) => {
  const { expiresAt, windowLengthened } = arrive(subject, path).context
  return { expiresAt, windowLengthened }
}

describe('a transfer that disappears and reappears', () => {
  test('extends the window once', () => {
    const lengthened = { expiresAt: minutes(35), windowLengthened: true }
    expect(windowAfter('pick, see 1000, lose it')).toEqual(lengthened)
    expect(windowAfter('pick, see 1000, lose it, see 1000, lose it in minute 30')).toEqual(lengthened)
  })

  test('extends the window later if it is long enough at first', () => {
    expect(windowAfter('pick, see 1000, lose all')).toEqual({ expiresAt: minutes(30), windowLengthened: false })
    expect(windowAfter('pick, see 1000, lose all, see 1000, lose it')).toEqual({
      ...{ expiresAt: minutes(35), windowLengthened: true },
    })
  })

  test('does not extend the window when only one node had reported it', () => {
    const path = 'pick, see 1000, lose what one node reported'
    expect(arrive(subject, path).value).toBe('pending')
    expect(windowAfter(path)).toEqual({ expiresAt: minutes(30), windowLengthened: false })
  })

  test('is announced once, and another transaction once as well', () => {
    const lost = arrive(subject, 'pick, see 1000, lose it')
    expect(step(subject, lost, 'see it again')).toMatchObject({ to: 'processing', effects: '' })
    expect(step(subject, lost, 'see another 1')).toMatchObject({ to: 'processing', effects: 'payment.processing' })
    const both = arrive(subject, 'pick, see 1000, lose it, see another 1, lose it')
    expect(step(subject, both, 'see it again')).toMatchObject({ to: 'processing', effects: '' })
  })

  test('is announced at most sixteen times under changing hashes', () => {
    const path = Array.from({ length: 16 }, (_, n) => `see another ${n}, lose it`).join(', ')
    const announced = arrive(subject, `pick, ${path}`)
    expect(step(subject, announced, 'see another 16')).toMatchObject({ to: 'processing', effects: '' })
    expect(step(subject, announced, 'see only 400')).toMatchObject({ effects: 'payment.underpaid' })
    expect(announced.context.announced).not.toContain(`processing ${hash(7)}`)
  })
})

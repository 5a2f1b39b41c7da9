import { expect, test } from 'bun:test'
import { addDays, dayIn, endOfDay, instantOf, isDay, isTimeZone } from '../../src/billing/days.ts'
import { oneOf, randomOf } from '../harness/random.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const ends: readonly [zone: string, day: string, end: string, hours: number, why: string][] = [
  ['UTC', '2026-11-27', '2026-11-27T23:59:59.999Z', 24, 'no daylight saving time'],
  ['Europe/Berlin', '2026-03-29', '2026-03-29T21:59:59.999Z', 23, 'clocks are set forward'],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T22:59:59.999Z', 25, 'clocks are set back'],
  ['America/New_York', '2026-03-08', '2026-03-09T03:59:59.999Z', 23, 'clocks are set forward'],
  ['America/New_York', '2026-11-01', '2026-11-02T04:59:59.999Z', 25, 'clocks are set back'],
  ['Australia/Lord_Howe', '2026-10-04', '2026-10-04T12:59:59.999Z', 23.5, 'by half an hour'],
  ['America/Santiago', '2026-04-04', '2026-04-05T03:59:59.999Z', 25, 'set back from midnight to 23:00'],
  ['America/Santiago', '2026-09-05', '2026-09-06T03:59:59.999Z', 24, 'the next day begins at 01:00'],
  ['America/Santiago', '2026-09-06', '2026-09-07T02:59:59.999Z', 23, 'begins at 01:00'],
  ['Africa/Cairo', '2026-04-23', '2026-04-23T21:59:59.999Z', 24, 'the next day begins at 01:00'],
  ['Africa/Cairo', '2026-10-29', '2026-10-29T21:59:59.999Z', 25, 'set back from midnight to 23:00'],
  ['America/St_Johns', '2010-11-06', '2010-11-07T03:29:59.999Z', 25, 'set back from 00:01 to 23:01 of this day'],
  ['Pacific/Apia', '2011-12-29', '2011-12-30T09:59:59.999Z', 24, 'the next day does not exist'],
  ['Pacific/Apia', '2011-12-30', '2011-12-30T09:59:59.999Z', 0, 'does not exist'],
  ['Pacific/Apia', '2011-12-31', '2011-12-31T09:59:59.999Z', 24, 'the day before does not exist'],
  ['Pacific/Kiritimati', '2026-12-31', '2026-12-31T09:59:59.999Z', 24, 'the first zone of the new year'],
  ['Pacific/Pago_Pago', '2026-12-31', '2027-01-01T10:59:59.999Z', 24, 'the last zone of the new year'],
  ['Asia/Kathmandu', '2028-02-29', '2028-02-29T18:14:59.999Z', 24, 'an offset of 5:45'],
  ['Africa/Casablanca', '2026-02-15', '2026-02-15T23:59:59.999Z', 25, 'set back for Ramadan'],
]

test.each([...ends])('in %s %s ends at %s and has %d hours: %s', (zone, day, end, hours) => {
  expect(endOfDay(zone, day).toISOString()).toBe(end)
  expect((endOfDay(zone, day).getTime() - endOfDay(zone, addDays(day, -1)).getTime()) / HOUR).toBe(hours)
})

const mornings: readonly [zone: string, day: string, hour: number, at: string][] = [
  ['Europe/Berlin', '2026-03-28', 9, '2026-03-28T08:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29', 9, '2026-03-29T07:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29', 2, '2026-03-29T01:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25', 2, '2026-10-25T00:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25', 9, '2026-10-25T08:00:00.000Z'],
  ['America/Santiago', '2026-09-06', 0, '2026-09-06T04:00:00.000Z'],
  ['Pacific/Apia', '2011-12-30', 9, '2011-12-30T10:00:00.000Z'],
  ['Pacific/Apia', '2011-12-31', 9, '2011-12-30T19:00:00.000Z'],
  ['Pacific/Kiritimati', '2027-01-01', 9, '2026-12-31T19:00:00.000Z'],
]

test.each([...mornings])('in %s on %s it is %i o’clock at %s', (zone, day, hour, at) => {
  expect(instantOf(zone, day, hour).toISOString()).toBe(at)
})

test('the day of an instant turns with the end of the day', () => {
  for (const [zone, day, , hours] of ends) {
    const end = endOfDay(zone, day)
    expect(dayIn(zone, new Date(end.getTime() + 1)) > day).toBe(true)
    if (hours > 0) expect(dayIn(zone, end)).toBe(day)
  }
})

/** By asking for the day at every minute. */
const slowEnd = (zone: string, day: string): number => {
  const around = Date.parse(day)
  // Swedish dates are written as ISO dates.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  for (let at = around + 3 * DAY; at > around - 2 * DAY; at -= 60_000) if (format.format(at - 1) <= day) return at - 1
  throw new Error(`No end of ${day} in ${zone}`)
}

test('days of random zones end where a search by minutes finds their end', () => {
  const seed = 384
  const random = randomOf(seed)
  const zones = Intl.supportedValuesOf('timeZone')
  expect(zones.length).toBeGreaterThan(300)
  for (let i = 0; i < 60; i++) {
    const zone = oneOf(zones, random)
    const from = addDays('1975-01-01', Math.floor(random() * 24_000))
    // The days of a change of the offset, or any.
    const offset = (day: string) => endOfDay(zone, day).getTime() - Date.parse(day)
    const days = Array.from({ length: 200 }, (_, after) => addDays(from, after))
    const changing = days.find(day => offset(day) !== offset(addDays(day, -1))) ?? from
    expect({ seed, zone, changing, end: endOfDay(zone, changing).getTime() }).toEqual({
      ...{ seed, zone, changing },
      end: slowEnd(zone, changing),
    })
  }
})

test('days are counted over months, leap days and years', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29')
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
  expect(addDays('2026-11-27', 365)).toBe('2027-11-27')
  expect(addDays('2026-11-27', 0)).toBe('2026-11-27')
})

test('a day is a date of the calendar', () => {
  expect(['2026-11-27', '2028-02-29'].filter(each => !isDay(each))).toEqual([])
  const none = ['2026-02-29', '2026-13-01', '2026-1-1', '20261127', '2026-11-27T00:00:00Z', '', 'today', '2026-11-31']
  expect(none.filter(isDay)).toEqual([])
})

test('a time zone has a name of the IANA database', () => {
  expect(
    ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'].filter(each => !isTimeZone(each)),
  ).toEqual([])
  expect(['+02:00', 'Berlin', '', 'Europe/Berlin ', 'Europe/../UTC', 'x'.repeat(65)].filter(isTimeZone)).toEqual([])
})

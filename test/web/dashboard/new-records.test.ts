import { describe, expect, test } from 'bun:test'
import { countNew, noneNew, withNew } from '../../../src/web/dashboard/shell/new-records.ts'

const rows = (...ids: readonly string[]) => ids.map(id => ({ id }))

describe('records that were created after a list was read', () => {
  test('are counted once each, however often they are reported', () => {
    const created = withNew(withNew(noneNew, ['a', 'b']), ['b', 'c'])
    expect(countNew(created, rows())).toBe(3)
    expect(countNew(created, rows('x', 'y'))).toBe(3)
  })

  test('are no longer counted once the list has them, with those that were reported before them', () => {
    const created = withNew(noneNew, ['a', 'b', 'c'])
    expect(countNew(created, rows('b', 'x'))).toBe(1)
    expect(countNew(created, rows('c'))).toBe(0)
    expect(countNew(withNew(created, ['d']), rows('c'))).toBe(1)
  })

  test('are counted without keeping all of their IDs', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `n${n}`)
    const created = many.reduce((known, id) => withNew(known, [id]), noneNew)
    expect(created.ids.length).toBe(100)
    expect(countNew(created, rows('x'))).toBe(1_000)
    expect(countNew(created, rows('n990'))).toBe(9)
  })
})

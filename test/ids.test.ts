import { expect, test } from 'bun:test'
import { decodeId, encodeId, uuidv7 } from '../src/ids.ts'
import { T0 } from './machines/table.ts'

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const uuid = '01a1fd08-96f4-7ee0-95f6-14a7180bdeaf'

test('an id is a prefix and 26 characters, and is decoded to its UUID', () => {
  expect(encodeId('pay', uuid)).toBe('pay_01m7ygh5qmfvg9bxgmmwc0qqnf')
  expect(decodeId('pay', 'pay_01m7ygh5qmfvg9bxgmmwc0qqnf')).toBe(uuid)
  for (const edge of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
    expect(decodeId('plink', encodeId('plink', edge))).toBe(edge)
  }
})

test('ids sort like their UUIDs', () => {
  const uuids = Array.from({ length: 1_000 }, (_, ms) => uuidv7(new Date(T0.getTime() + (ms % 10)), random))
  const byId = uuids.map(uuid => encodeId('re', uuid)).sort()
  expect(byId.map(id => decodeId('re', id))).toEqual(uuids.sort())
})

test.each([
  ['another prefix', 're_01m7ygh5qmfvg9bxgmmwc0qqnf'],
  ['no prefix', '01m7ygh5qmfvg9bxgmmwc0qqnf'],
  ['a character too few', 'pay_01m7ygh5qmfvg9bxgmmwc0qqn'],
  ['a character too many', 'pay_01m7ygh5qmfvg9bxgmmwc0qqnf0'],
  ['more than 128 bits', 'pay_81m7ygh5qmfvg9bxgmmwc0qqnf'],
  ['capitals', 'pay_01M7YGH5QMFVG9BXGMMWC0QQNF'],
  ['a letter that looks like a digit', 'pay_o1m7ygh5qmfvg9bxgmmwc0qqnf'],
  ['a line break', 'pay_01m7ygh5qmfvg9bxgmmwc0qqn\n'],
  ['nothing', ''],
])('%s is no id', (_, id) => {
  expect(decodeId('pay', id)).toBeUndefined()
})

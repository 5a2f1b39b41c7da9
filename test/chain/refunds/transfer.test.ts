import { expect, test } from 'bun:test'
import { requireAddress } from '../../../src/chain/address.ts'
import { refundNamedIn, refundTransfer } from '../../../src/chain/refunds/transfer.ts'

const id = '01987654-3210-7abc-8def-0123456789ab'
const token = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const destination = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

test('a token refund is a token transfer with the refund id after the call data', () => {
  const transfer = refundTransfer({ id, tokenAddress: token, destination, amount: 1_000_000n })
  expect(transfer).toEqual({
    to: requireAddress(token),
    data: `0xa9059cbb${'0'.repeat(24)}5aaeb6053f3e94c9b9a09f33669435e7ef1beaed${'f4240'.padStart(64, '0')}0198765432107abc8def0123456789ab`,
    value: 0n,
  })
  expect(refundNamedIn(transfer.data)).toBe(id)
})

test('a native refund is a transfer to the destination without data', () => {
  const transfer = refundTransfer({ id, tokenAddress: null, destination, amount: 7n })
  expect(transfer).toEqual({ to: requireAddress(destination), data: '0x', value: 7n })
  expect(refundNamedIn(transfer.data)).toBe(undefined)
})

test('a native transfer names a refund if its data is only the id', () => {
  const digits = id.replaceAll('-', '')
  expect(refundNamedIn(`0x${digits}`)).toBe(id)
  expect(refundNamedIn(`0x${digits}00`)).toBe(undefined)
  expect(refundNamedIn(`0x${digits.slice(2)}`)).toBe(undefined)
})

test('a transfer without an id, or of another function, names no refund', () => {
  const { data } = refundTransfer({ id, tokenAddress: token, destination, amount: 1n })
  expect(refundNamedIn(data.slice(0, -32))).toBe(undefined)
  expect(refundNamedIn(`${data}00`)).toBe(undefined)
  expect(refundNamedIn(data.replace('a9059cbb', '23b872dd'))).toBe(undefined)
})

test.each([
  ['a prefixed id', { id: 're_01987654' }],
  ['a short destination', { destination: '0x12' }],
  ['a destination with a wrong checksum', { destination: '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }],
  ['the zero address', { destination: `0x${'0'.repeat(40)}` }],
  ['an invalid token', { tokenAddress: 'somewhere' }],
  ['an amount above 256 bits', { amount: 2n ** 256n }],
  ['a negative amount', { amount: -1n }],
])('a transfer with %s is refused', (_, wrong) => {
  expect(() => refundTransfer({ id, tokenAddress: token, destination, amount: 1n, ...wrong })).toThrow()
})

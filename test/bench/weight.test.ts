import { expect, test } from 'bun:test'
import { openServer } from './server.ts'
import { weigh } from './weight.ts'

/** Bytes of a payment with one webhook. What is measured is at most a tenth less: see "Sizes" in docs/operating.md. */
const MOST_ON_DISK = 9_900
const MOST_IN_LOG = 27_200

/** Index entries of a payment. An index more is too small to be found by bytes, which differ by more from run to run. */
const ENTRIES = { transitions: 36, events: 12, payments: 29, transfers: 9 }

test('a paid payment with one webhook adds no more to the disk and to the log than is documented', async () => {
  await using server = await openServer()
  const { paid, sizes, log } = await weigh(server, 200)
  expect(paid).toBe(200)
  const onDisk = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  const inLog = log.bytes / paid
  expect(onDisk).toBeLessThan(MOST_ON_DISK)
  expect(inLog).toBeLessThan(MOST_IN_LOG)
  const entriesOf = (name: string) =>
    log.relations.reduce((sum, { table, index, inserts }) => sum + (table === name && index !== null ? inserts : 0), 0)
  expect(Object.fromEntries(Object.keys(ENTRIES).map(table => [table, Math.round(entriesOf(table) / paid)]))).toEqual(
    ENTRIES,
  )
  // What was measured is there at all.
  expect(sizes.map(({ table, index }) => index ?? table)).toContain('transitions_pkey')
  expect(log.relations.find(({ table, index }) => table === 'payments' && index === null)?.updates).toBe(2 * paid)
}, 180_000)

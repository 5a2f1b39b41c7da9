import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReport } from './promises.ts'
import { measureYear, type YearSizes } from './year.ts'
import { isLoaded, removeStore, storeName } from './year-store.ts'

const sizes: YearSizes = {
  ...{ payments: 1_000, fewPayments: 250, sums: 500, reads: 1, warmUps: 0, turns: 1, slowTurns: 1 },
  ...{ paymentWarmUps: 0, paymentTurns: 1, opened: 5, watchRounds: 1, watchedBlocks: 2, strangers: 2 },
}

/** A folder for stores, which is removed with what is in it. */
const placeForStores = () => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-year-'))
  chmodSync(folder, 0o711)
  return {
    folder,
    [Symbol.dispose]: () => {
      for (const name of readdirSync(folder)) removeStore(join(folder, name))
      rmSync(folder, { recursive: true })
    },
  }
}

test('the bench of a year runs, keeps its data, and finds the same events in a walk', async () => {
  using place = placeForStores()
  const name = await storeName(sizes.payments)
  // What an interrupted run left is made anew.
  mkdirSync(join(place.folder, name))
  writeFileSync(join(place.folder, name, 'left'), '')
  const report = openReport()
  const said: string[] = []
  const bench = { report, print: (line: string) => said.push(line) }
  await measureYear(bench, sizes, { folder: place.folder, free: 100e9 })
  expect(isLoaded(join(place.folder, name))).toBe(true)
  expect(readdirSync(join(place.folder, name))).not.toContain('left')
  expect(said.filter(line => line.includes(`kept in ${join(place.folder, name)}`))).toHaveLength(1)
  // A test does not judge how fast this machine is.
  expect(report.lines.filter(line => /NaN|skipped/.test(line))).toEqual([])
  const walk = report.lines.filter(line => /a walk of all events/.test(line))
  expect(walk).toHaveLength(1)
  expect(walk[0]).toMatch(/^kept .* 0 at another place/)
  for (const wanted of [
    'the start on 1,000 payments',
    'the most memory of an audit of 1,000 payments',
    'API, payments with 1,000 payments',
    'dashboard, events with',
    'operators, transitions with',
    'opening a payment with',
    'paying a payment, until its webhook is answered, with',
    'a block with 2 transfers to strangers, with',
    'figures of 500 payments',
  ])
    expect([wanted, report.lines.filter(line => line.includes(wanted)).length]).toEqual([wanted, 1])
}, 240_000)

test('the bench of a year is skipped without room for its data', async () => {
  using place = placeForStores()
  const report = openReport()
  await measureYear({ report, print: () => {} }, sizes, { folder: place.folder, free: 39.9e9 })
  expect(report.lines).toEqual(['skipped a shop with 1,000 payments: 39 GB are free, 40 GB are needed'])
  expect(report.missed).toBe(0)
  expect(readdirSync(place.folder)).toEqual([])
})

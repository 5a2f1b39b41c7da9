import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../src/postgres/connect.ts'
import { readSchema } from '../harness/schema.ts'
import { fillSums } from './analytics.ts'
import { type Bench, type BenchOutput, printSizes } from './bench.ts'
import { startProgram } from './program.ts'
import { thousands, times } from './promises.ts'
import { adoptSchema } from './year-adopt.ts'
import { type AnalyticsReads, promiseYearSums } from './year-analytics.ts'
import { promiseYearLists, type YearListSizes, type YearSide } from './year-lists.ts'
import { LAST_BLOCK, loadYear } from './year-load.ts'
import { promisePayments, type YearPaymentSizes } from './year-payments.ts'
import { openBlocks, startYearService } from './year-service.ts'
import { type ExampleShop, makeExampleShop } from './year-shop.ts'
import {
  deletion,
  findOtherVersion,
  freeBytes,
  isLoaded,
  keptIn,
  markLoaded,
  openStore,
  otherStores,
  readMark,
  removeStore,
  type Store,
  storeName,
} from './year-store.ts'
import { promiseWalk } from './year-walk.ts'
import { promiseYearWatch, type YearWatchSizes } from './year-watch.ts'

export type YearSizes = {
  readonly payments: number
  readonly fewPayments: number
  /** Payments whose sums are read. */
  readonly sums: number
} & YearListSizes &
  YearPaymentSizes &
  YearWatchSizes &
  AnalyticsReads

const whole: YearSizes = {
  ...{ payments: 1_000_000, fewPayments: 10_000, sums: 10_000_000, reads: 20 },
  ...{ warmUps: 2, turns: 7, slowTurns: 28 },
  ...{ paymentWarmUps: 1, paymentTurns: 8, opened: 100, watchRounds: 3, watchedBlocks: 30, strangers: 50 },
}
export const quick: YearSizes = {
  ...{ payments: 5_000, fewPayments: 500, sums: 50_000, reads: 2 },
  ...{ warmUps: 2, turns: 3, slowTurns: 12 },
  ...{ paymentWarmUps: 1, paymentTurns: 2, opened: 20, watchRounds: 1, watchedBlocks: 5, strangers: 5 },
}

/** What a year of a busy shop needs on the disk, with the files that are in use while it is loaded. */
const NEEDED_BYTES = 40e9

/** Where the data is kept, and how much room there is. */
export type YearPlace = { readonly folder: string; readonly free: number }

/** A shop with two years of payments against one with few: whether anything has become slower. */
export const year = (bench: Bench): Promise<void> => {
  const sizes = bench.quick ? quick : whole
  return measureYear(bench, sizes, { folder: keptIn(), free: freeBytes(keptIn()) })
}

export const measureYear = async (
  bench: BenchOutput,
  sizes: YearSizes,
  { folder: kept, free }: YearPlace,
): Promise<void> => {
  const { print, report } = bench
  printSizes(bench, sizes)
  const name = await storeName(sizes.payments)
  const folder = join(kept, name)
  if (!isLoaded(folder)) await adoptOther(bench, { folder, other: findOtherVersion(kept, name, sizes.payments) })
  const what = `a shop with ${thousands(sizes.payments)} payments`
  if (!isLoaded(folder) && free < NEEDED_BYTES) {
    report.skip(what, `${Math.floor(free / 1e9)} GB are free, ${NEEDED_BYTES / 1e9} GB are needed`)
    return
  }
  for (const other of otherStores(kept, name))
    print(`not used, of another version or size: ${other}. Delete it: ${deletion(other)}`)
  if (!isLoaded(folder)) await load(bench, sizes, folder)
  print(`the data is kept in ${folder} for later runs. Delete it: ${deletion(folder)}`)
  const began = performance.now()
  await using store = await openStore(folder, { isLoading: false, say: print })
  const startMs = performance.now() - began
  await measure(bench, sizes, { store, startMs, shop: readMark(folder) })
}

/** The tables of another version are kept, with the functions and indexes of this one. */
const adoptOther = async (
  { print }: BenchOutput,
  { folder, other }: { readonly folder: string; readonly other: string | undefined },
): Promise<void> => {
  if (other === undefined) return
  try {
    await using store = await openStore(other, { isLoading: false, say: print })
    await adoptSchema(store, ['shop', 'year', 'sums'])
  } catch (error) {
    print(`${other} is not used: ${error instanceof Error ? error.message : error}`)
    return
  }
  renameSync(other, folder)
  print(`${other} has the functions and indexes of this version now`)
}

/** Loads the examples and their copies. A store is marked at the end; an interrupted one is made anew. */
const load = async ({ print }: BenchOutput, sizes: YearSizes, folder: string): Promise<void> => {
  removeStore(folder)
  const began = performance.now()
  let shop: ExampleShop
  {
    await using store = await openStore(folder, { isLoading: true, say: print })
    const empty = await store.migrated('shop')
    shop = await makeExampleShop(empty)
    print('the examples are made')
    const sums = await store.copy('sums', 'shop')
    await fillMerchant(sums, shop, sizes.sums)
    print(`the sums of ${thousands(sizes.sums)} payments are made`)
    const url = await store.copy('year', 'shop')
    await loadYear(url, { shop, payments: sizes.payments, print })
    await requireSameSchema(url, empty)
    print(
      `loaded: ${((await store.size()) / 1e9).toFixed(1)} GB, ${((performance.now() - began) / 1_000).toFixed(0)} s`,
    )
  }
  markLoaded(folder, shop)
}

const fillMerchant = async (url: string, { merchants }: ExampleShop, payments: number): Promise<void> => {
  const sql = connect(url, { max: 1 })
  await fillSums(sql, merchants[0] ?? '', payments)
  await sql.end({ timeout: 1 })
}

const requireSameSchema = async (one: string, other: string): Promise<void> => {
  const texts = await Promise.all(
    [one, other].map(async url => {
      const sql = connect(url, { max: 1 })
      const text = await readSchema(sql)
      await sql.end({ timeout: 1 })
      return text
    }),
  )
  if (texts[0] !== texts[1]) throw new Error('after the load the schema is not what the migrations make')
}

type Measuring = { readonly store: Store; readonly startMs: number; readonly shop: ExampleShop }

const measure = async (bench: BenchOutput, sizes: YearSizes, { store, startMs, shop }: Measuring): Promise<void> => {
  const { print, report } = bench
  const [first = ''] = shop.merchants
  await store.drop('few')
  const fewUrl = await store.copy('few', 'shop')
  await loadYear(fewUrl, { shop, payments: sizes.fewPayments, print: () => {} })
  print(`${thousands(sizes.fewPayments)} payments are loaded for comparison`)
  const manyUrl = store.url('year')
  await promiseAudit(bench, { manyUrl, fewUrl, sizes })
  {
    await using manyService = await startYearService(manyUrl, { blocks: LAST_BLOCK })
    report.atMost(
      `the start on ${thousands(sizes.payments)} payments, of Postgres and the service until it is ready`,
      (startMs + manyService.startMs) / 1_000,
      10,
      { as: seconds, from: `Postgres ${seconds(startMs / 1_000)}` },
    )
    await using fewService = await startYearService(fewUrl, { blocks: LAST_BLOCK })
    const many: YearSide = { payments: sizes.payments, url: manyUrl, service: manyService, merchantId: first }
    const few: YearSide = { payments: sizes.fewPayments, url: fewUrl, service: fewService, merchantId: first }
    await promiseYearLists(bench, { many, few, sizes })
    print('lists are read')
    await promisePayments(bench, { many, few, sizes })
    await promiseWalk(bench, many)
    for (const { main } of [manyService, fewService])
      for (const line of main.lines.filter(line => line.startsWith('{')).slice(0, 3)) print(`logged: ${line}`)
  }
  await promiseYearSums(bench, { url: store.url('sums'), merchantId: first, payments: sizes.sums, reads: sizes.reads })
  await using node = await openBlocks([manyUrl, fewUrl], LAST_BLOCK)
  await promiseYearWatch(bench, {
    many: { url: manyUrl, payments: sizes.payments },
    few: { url: fewUrl, payments: sizes.fewPayments },
    ...{ node, sizes },
  })
}

type Audited = {
  readonly findings: readonly unknown[]
  readonly seconds: number
  readonly before: number
  readonly most: number
  readonly slowest: readonly [what: string, ms: number][]
}

const promiseAudit = async (
  { print, report }: BenchOutput,
  { manyUrl, fewUrl, sizes }: { readonly manyUrl: string; readonly fewUrl: string; readonly sizes: YearSizes },
): Promise<void> => {
  const run = async (url: string): Promise<Audited> => {
    await using program = await startProgram('./year-audit-program.ts', url)
    const audited = JSON.parse(program.output) as Audited
    if (audited.findings.length > 0) throw new Error(`the audit found ${JSON.stringify(audited.findings)}`)
    return audited
  }
  const [few, many] = [await run(fewUrl), await run(manyUrl)]
  for (const [what, ms] of many.slowest) print(`${(ms / 1_000).toFixed(1)} s: ${what}`)
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  report.atMost(
    `the most memory of an audit of ${thousands(sizes.payments)} payments against ${thousands(sizes.fewPayments)}`,
    many.most / few.most,
    MEMORY_BOUND,
    {
      as: times,
      from: `${mebibytes(many.most)} against ${mebibytes(few.most)}, in ${seconds(many.seconds)} against ${seconds(few.seconds)}`,
    },
  )
}

/** Of the audit's process: rows are read in pages, whose number must not matter. */
const MEMORY_BOUND = 1.5

const seconds = (figure: number): string => `${figure.toFixed(1)} s`

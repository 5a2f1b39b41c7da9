import { promiseEvents } from './api-events.ts'
import { promiseLinks } from './api-links.ts'
import { promiseReads } from './api-reads.ts'
import { type Bench, printSizes } from './bench.ts'

export type ApiSizes = {
  readonly rounds: number
  /** Number and length of the short measurements, bare and ours alternately. */
  readonly pairs: number
  readonly sliceMs: number
  /** Payments that are read at random. */
  readonly payments: number
  readonly events: number
  readonly merchants: number
  /** The smaller database of the comparison; its pages are as full, since each merchant has as many events. */
  readonly fewEvents: number
  readonly fewMerchants: number
  /** The merchants of each database whose lists are read. */
  readonly readers: number
  /** How long links are created by each, in turn. */
  readonly linksMs: number
}

const whole: ApiSizes = {
  rounds: 3,
  pairs: 30,
  sliceMs: 200,
  payments: 100_000,
  events: 5_000_000,
  merchants: 1_000,
  fewEvents: 50_000,
  fewMerchants: 10,
  readers: 10,
  linksMs: 4_000,
}

const quick: ApiSizes = {
  ...whole,
  rounds: 1,
  pairs: 10,
  sliceMs: 100,
  payments: 10_000,
  events: 250_000,
  merchants: 50,
  linksMs: 1_500,
}

/** What the API costs in addition to its commands and queries, and whether a long list is as fast as a short one. */
export const api = (bench: Bench): Promise<void> => measureApi(bench, bench.quick ? quick : whole)

export const measureApi = async (bench: Bench, sizes: ApiSizes): Promise<void> => {
  printSizes(bench, sizes)
  await promiseReads(bench, sizes)
  await promiseLinks(bench, sizes)
  await promiseEvents(bench, sizes)
}

import { promiseEvents } from './api-events.ts'
import { promiseLinks } from './api-links.ts'
import { promiseReads } from './api-reads.ts'
import { type Bench, saySizes } from './bench.ts'

export type ApiSizes = {
  readonly rounds: number
  /** Of short stretches, bare and ours in turn. */
  readonly pairs: number
  readonly sliceMs: number
  /** Payments that are read, at random. */
  readonly payments: number
  readonly events: number
  readonly merchants: number
  /** What they are compared with: pages just as full, since a merchant has as many. */
  readonly fewEvents: number
  readonly fewMerchants: number
  /** Merchants of each whose lists are read. */
  readonly readers: number
  /** Links are made for so long by each, in turn. */
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

/** What the interface costs above what it stands on, and whether a list stays as quick as it was when it was short. */
export const api = (bench: Bench): Promise<void> => measureApi(bench, bench.quick ? quick : whole)

export const measureApi = async (bench: Bench, sizes: ApiSizes): Promise<void> => {
  saySizes(bench, sizes)
  await promiseReads(bench, sizes)
  await promiseLinks(bench, sizes)
  await promiseEvents(bench, sizes)
}

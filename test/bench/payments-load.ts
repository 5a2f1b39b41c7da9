import { setTimeout as sleep } from 'node:timers/promises'
import { encodeId } from '../../src/ids.ts'
import { until } from '../harness/until.ts'
import { ASSET, type Service } from './payments-service.ts'
import { AMOUNT_MINOR } from './payments-setup.ts'

/** Customers that open a payment over HTTP and pay it on the chain; each payment is followed until its webhook is acknowledged. */
export type Load = {
  /** Payments whose webhook was acknowledged since the start. */
  completed(): number
  /** Opens no more and waits until all opened payments are complete. Returns their number. */
  finish(): Promise<number>
}

export type LoadOptions = {
  /** A new payment is opened whenever one is complete, so that this number is always in flight. */
  readonly inFlight: number
  readonly blockMs: number
  /** At most this many are opened. */
  readonly most?: number
}

/** Simultaneous requests that open payments; fetch keeps as many connections. */
const OPENERS = 64
/** The room in a block of 30 million gas, and more than ever wait for one. */
const MOST_IN_BLOCK = 5_000
const DUE = BigInt(AMOUNT_MINOR) * 10n ** 4n

export const startLoad = async (
  { url, node, receiver, links }: Service,
  { inFlight, blockMs, most = Number.POSITIVE_INFINITY }: LoadOptions,
): Promise<Load> => {
  const before = (await receiver.counts()).distinct
  // A link is free again when as many payments are complete as were opened on links before it.
  const free = links.slice(0, inFlight)
  if (free.length < inFlight) throw new Error(`there are ${links.length} links for ${inFlight} payments in flight`)
  const busy: typeof free = []
  let unpaid: string[] = []
  let opened = 0
  let completed = 0
  let released = Promise.withResolvers<void>()
  let opening = true
  let running = true
  let failure: unknown
  const failed = (error: unknown) => {
    failure ??= error
    opening = false
    running = false
    released.resolve()
  }

  const openOne = async (link: (typeof free)[number]): Promise<void> => {
    const answer = await fetch(`${url}/v1/checkout/links/${encodeId('plink', link.id)}/payments`, REQUEST)
    if (answer.status !== 201) throw new Error(`a payment was not opened: ${answer.status} ${await answer.text()}`)
    const { payment } = (await answer.json()) as { payment: { crypto: { address: string; amountExpected: string } } }
    const { address, amountExpected } = payment.crypto
    if (BigInt(amountExpected) !== DUE) throw new Error(`${amountExpected} is due, not ${DUE}`)
    unpaid.push(address.toLowerCase())
    busy.push(link)
  }

  const openers = Array.from({ length: OPENERS }, async () => {
    while (opening && opened < most) {
      const link = free.shift()
      if (link) {
        opened++
        await openOne(link)
      } else await released.promise
    }
  })

  const mining = (async () => {
    while (running) {
      const due = performance.now() + blockMs
      const paid = unpaid.slice(0, MOST_IN_BLOCK)
      unpaid = unpaid.slice(MOST_IN_BLOCK)
      if (paid.length > 0) await node.pay(paid, DUE)
      await node.mine()
      await sleep(Math.max(0, due - performance.now()))
    }
  })()

  const watching = (async () => {
    while (running) {
      const count = (await receiver.counts()).distinct - before
      free.push(...busy.splice(0, count - completed))
      completed = count
      released.resolve()
      released = Promise.withResolvers()
      await sleep(20)
    }
  })()

  const parts = [...openers, mining, watching]
  for (const part of parts) part.catch(failed)
  return {
    completed: () => {
      if (failure !== undefined) throw failure
      return completed
    },
    finish: async () => {
      opening = most < Number.POSITIVE_INFINITY && failure === undefined
      await Promise.allSettled(openers)
      const isComplete = () => failure !== undefined || completed === opened
      await until(isComplete, { timeoutMs: 120_000, what: `${opened} complete payments` }).catch(failed)
      running = false
      await Promise.allSettled(parts)
      if (failure !== undefined) throw failure
      return opened
    },
  }
}

const REQUEST = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ customerEmail: 'ada@example.com', customerName: 'Ada Example', ...ASSET }),
}

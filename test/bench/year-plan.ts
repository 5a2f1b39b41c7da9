import { encodeId } from '../../src/ids.ts'
import type { CopiedExample } from './year-rows.ts'
import { type ExampleName, type ExampleShop, exampleNames, examples } from './year-shop.ts'

/** Which payments there are, of whom and when: the same shape for few and for many. */
export type YearPlan = {
  readonly payments: number
  readonly merchants: readonly PlannedMerchant[]
  /** The columns of the payments from `first` to before `end`. Called once for each, in order. */
  rows(first: number, end: number): Columns
  /** Afterwards: the links with their counts, and the next counter of each merchant. */
  links(): LinkColumns
  counters(): readonly number[]
}

export type PlannedMerchant = {
  readonly id: string
  readonly pub: string
  readonly treasury: string
  readonly endpoint: string
  depositAddress(counter: number): string
}

type Columns = Readonly<Record<(typeof numbers)[number], number[]>> &
  Readonly<Record<(typeof texts)[number], string[]>> &
  Readonly<Record<(typeof flags)[number], number[]>> & { readonly other_pub: (string | null)[] }

const numbers = [
  'n',
  'example',
  'ms',
  'counter',
  'block',
  'customer',
  'merchant',
  'link_ms',
  'link_rev',
  'link_opened',
  'link_count',
] as const
const texts = [
  'id',
  'pub',
  'address',
  'customer_id',
  'customer_pub',
  'email',
  'link_id',
  'link_pub',
  'reference',
] as const
const flags = ['of_customer', 'of_link', 'of_late'] as const

type LinkColumns = {
  readonly [column in 'n' | 'ms' | 'rev' | 'opened' | 'count' | 'used']: number[]
} & { readonly [column in 'id' | 'reference' | 'merchant']: string[] }

type Link = {
  readonly n: number
  readonly id: string
  readonly pub: string
  readonly ms: number
  readonly merchant: number
  rev: number
  opened: number
  count: number
  used: number
}

type Customer = { readonly n: number; readonly id: string; readonly pub: string }

const TWO_YEARS_MS = 730 * 86_400_000
const BLOCKS = 1_000
/** Of the payments of a merchant, one in so many is of a new customer or on a new link. */
const PER_CUSTOMER = 5
const PER_LINK = 50
/** The links in use at a time, besides the first, which a third of the payments are on. */
const LINKS_IN_USE = 20
/** The latest payments, of which a third waits. */
const LATEST = 0.01

export const planYear = ({
  payments,
  shop,
  copied,
  secrets,
  uncollected,
}: {
  readonly payments: number
  readonly shop: ExampleShop
  readonly copied: readonly CopiedExample[]
  readonly secrets: readonly PlannedMerchant[]
  readonly uncollected: number
}): YearPlan => {
  const now = Date.now() - 60_000
  const endMs = now - 3_600_000
  const byName = new Map(copied.map(example => [example.name, example]))
  const names = namesByShare()
  const links: Link[] = []
  const customers: Customer[] = []
  const ofMerchant = shop.merchants.map(() => ({
    links: [] as Link[],
    customers: [] as Customer[],
    counter: 0,
    payments: 0,
  }))

  const newLink = (merchant: number, n: number, ms: number): Link => {
    const id = uuidAt(ms - 1_000, 0xfff, n)
    const link = {
      n: links.length,
      id,
      pub: encodeId('plink', id),
      ms: ms - 1_000,
      merchant,
      rev: 1,
      opened: 0,
      count: 0,
      used: ms,
    }
    links.push(link)
    ofMerchant[merchant]?.links.push(link)
    return link
  }

  const row = (n: number, columns: Columns): void => {
    const ms = Math.floor(endMs - TWO_YEARS_MS + (n / payments) * TWO_YEARS_MS)
    const chance = chanceOf(n)
    const merchant = chance(1) < 0.9 ? 0 : 1 + Math.floor(chance(2) * (shop.merchants.length - 1))
    const its = ofMerchant[merchant]
    const who = secrets[merchant]
    if (!its || !who) throw new Error('there is no merchant')
    const nth = its.payments++
    const isWaiting = n >= payments * (1 - LATEST) && chance(3) < 0.3
    const name = isWaiting ? 'waiting' : (names[Math.floor(chance(4) * names.length)] ?? 'paid')
    const example = byName.get(name)
    if (!example) throw new Error(`there is no example ${name}`)

    const isNewLink = nth % PER_LINK === 0
    const inUse = its.links.slice(-LINKS_IN_USE)
    const link = isNewLink
      ? newLink(merchant, n, ms)
      : ((chance(5) < 0.33 ? its.links[0] : inUse[Math.floor(chance(6) * inUse.length)]) ?? newLink(merchant, n, ms))
    const isNewCustomer = nth % PER_CUSTOMER === 0
    if (isNewCustomer) {
      const id = uuidAt(ms, 1, n)
      const made = { n: customers.length, id, pub: encodeId('cus', id) }
      customers.push(made)
      its.customers.push(made)
    }
    // The first customer of a merchant buys often.
    const customer = isNewCustomer
      ? its.customers.at(-1)
      : its.customers[chance(7) < 0.02 ? 0 : Math.floor(chance(8) * its.customers.length)]
    if (!customer) throw new Error('there is no customer')
    const id = uuidAt(ms, 0, n)
    columns.n.push(n)
    columns.example.push(exampleNames.indexOf(name))
    columns.ms.push(ms)
    columns.id.push(id)
    columns.pub.push(encodeId('pay', id))
    columns.counter.push(its.counter)
    columns.address.push(who.depositAddress(its.counter++))
    columns.block.push(1 + Math.floor((n / payments) * BLOCKS))
    columns.customer.push(customer.n)
    columns.customer_id.push(customer.id)
    columns.customer_pub.push(customer.pub)
    columns.email.push(`customer${customer.n}@example.com`)
    columns.merchant.push(merchant)
    columns.link_id.push(link.id)
    columns.link_pub.push(link.pub)
    columns.link_ms.push(link.ms)
    columns.reference.push(`order ${link.n}`)
    columns.of_customer.push(Number(isNewCustomer))
    columns.of_link.push(Number(isNewLink))
    columns.of_late.push(Number(n >= payments - uncollected))
    columns.link_rev.push(link.rev)
    columns.link_opened.push(link.opened)
    columns.link_count.push(link.count)
    columns.other_pub.push(example.other ? encodeId(example.other, uuidAt(ms, 2, n)) : null)
    link.rev += example.onLink.revs
    link.opened += example.onLink.opened
    link.count += example.onLink.count
    link.used = ms
  }

  return {
    payments,
    merchants: secrets,
    rows: (first, end) => {
      const columns = Object.fromEntries(
        [...numbers, ...texts, ...flags, 'other_pub'].map(name => [name, []]),
      ) as unknown as Columns
      for (let n = first; n < end; n++) row(n, columns)
      return columns
    },
    links: () => ({
      n: links.map(({ n }) => n),
      id: links.map(({ id }) => id),
      ms: links.map(({ ms }) => ms),
      reference: links.map(({ n }) => `order ${n}`),
      merchant: links.map(({ merchant }) => shop.merchants[merchant] ?? ''),
      rev: links.map(({ rev }) => rev),
      opened: links.map(({ opened }) => opened),
      count: links.map(({ count }) => count),
      used: links.map(({ used }) => used),
    }),
    counters: () => ofMerchant.map(({ counter }) => counter),
  }
}

/** Each example as often as its share of a thousand. */
const namesByShare = (): readonly ExampleName[] =>
  exampleNames.flatMap(name => Array.from({ length: Math.round(1_000 * examples[name].share) }, () => name))

/** Numbers from 0 to 1 that are the same in each run. */
const chanceOf = (n: number) => (which: number) => {
  let hash = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(which, 0x85ebca77)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}

/** As year.id() in the database. */
const uuidAt = (ms: number, k: number, n: number): string => {
  const digits = `${ms.toString(16).padStart(12, '0')}7${k.toString(16).padStart(3, '0')}8${n.toString(16).padStart(15, '0')}`
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

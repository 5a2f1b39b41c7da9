import { encodeId } from '../../src/ids.ts'
import { type ListedName, resources } from '../../src/resources.ts'
import { type ApiServer, apiServer, SECRET_KEY } from '../harness/api.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { startMain } from '../harness/main.ts'
import { type Shop, shop } from '../http/people.ts'
import { HOT_PAYER, type ManyRecords, makeManyRecords, RARE, TX } from '../queries/many-records.ts'
import type { Bench } from './bench.ts'
import { inTurns } from './callers.ts'
import type { DashboardSizes } from './dashboard.ts'
import { median, milliseconds, thousands, times } from './promises.ts'

/** Of what is rare, both merchants have as many: a page of it has as many rows. */
const RARE_ONES = 10
/** As the pages of the dashboard. */
const LIMIT = 25
/**
 * A difference that is not noticeable. With 100,000 records a search takes 3 ms more, because Postgres plans it anew for its
 * values; with a generic plan it would be 0.4 ms.
 */
const UNNOTICED_MS = 5

/** Every list of the dashboard with its filters, and the search over all, of a merchant with many records and of one with few. */
export const promiseLists = async (
  { print, report }: Bench,
  { records, fewRecords, turns }: DashboardSizes,
): Promise<void> => {
  await using many = await openLists(records)
  await using few = await openLists(fewRecords)
  for (const [name, queriesOf] of Object.entries(lists)) {
    const ofFew = queriesOf(few)
    const compared: Compared[] = []
    for (const [n, [what, paths]] of queriesOf(many).entries()) {
      const costs = await inTurns(
        turns,
        () => many.read(paths),
        () => few.read(ofFew[n]?.[1] ?? []),
      )
      const [manyMs, fewMs] = [median(costs.map(([one]) => one)), median(costs.map(([, other]) => other))]
      compared.push({ what, manyMs, fewMs, ratio: manyMs / fewMs })
    }
    for (const one of compared) if (one.ratio > 1.3) print(`${name}: ${format(one)}`)
    const slow = compared.filter(({ manyMs, fewMs }) => manyMs - fewMs > UNNOTICED_MS)
    const worst = (slow.length > 0 ? slow : compared).reduce((worst, one) => (one.ratio > worst.ratio ? one : worst))
    report.judge(
      `${name} with ${thousands(records)} records against ${thousands(fewRecords)}, ${compared.length} queries`,
      slow.every(({ ratio }) => ratio <= 1.5),
      format(worst),
      `≤ 1.50 × or + ${UNNOTICED_MS} ms`,
    )
  }
}

type Compared = { readonly what: string; readonly manyMs: number; readonly fewMs: number; readonly ratio: number }

const format = ({ what, manyMs, fewMs, ratio }: Compared): string =>
  `${times(ratio)}, ${milliseconds(manyMs)} against ${milliseconds(fewMs)}, ${what}`

type Lists = AsyncDisposable & {
  readonly made: ManyRecords
  readonly rows: number
  /** IDs of records in the middle of the lists. */
  readonly middle: Readonly<Record<string, string>>
  /** Milliseconds until all of these have answered. */
  read(paths: readonly string[]): Promise<number>
}

const openLists = async (rows: number): Promise<Lists> => {
  await using opening = new AsyncDisposableStack()
  const server = opening.use(await apiServer({ routes: [] }))
  const here = await shop(server.api)
  const made = await makeManyRecords(server, here, { rows, rare: RARE_ONES })
  await server.sql`
    insert into security_events (merchant_id, actor, details, action)
    select ${here.merchantId}, 'operator', '{}', case when n % ${rows / RARE_ONES}::int = 0 then 'member.removed' else 'settings.changed' end
    from generate_series(1, ${rows}::int) n`
  await server.sql.unsafe('vacuum analyze')
  const middle = await findMiddle(server, made, rows)
  const folder = opening.use(dataFolder())
  const env = {
    ...{ DATABASE_URL: server.databaseUrl, SECRET_KEY, DATA_DIR: folder.path },
    ...{ API_RATE_LIMIT_LIVE: '0', MIMALLOC_PURGE_DELAY: '-1' },
  }
  const { url } = opening.use(await startMain(env))
  const rest = opening.move()
  return { made, rows, middle, read: readerOf(url, here), [Symbol.asyncDispose]: () => rest.disposeAsync() }
}

const findMiddle = async ({ sql }: ApiServer, { owner }: ManyRecords, rows: number) => {
  const ids: Record<string, string> = {}
  for (const name of [
    'payment',
    'payment_link',
    'refund',
    'dispute',
    'event',
    'delivery',
  ] as const satisfies ListedName[]) {
    const { prefix, table } = resources[name]
    const [row] = await sql<{ id: string }[]>`
      select id from ${sql(table)} where merchant_id = ${owner.merchantId} order by seq offset ${rows / 2} limit 1`
    ids[name] = prefix === null ? (row?.id ?? '') : encodeId(prefix, row?.id ?? '')
  }
  return ids
}

const readerOf = (url: string, { path, owner }: Shop) => {
  const headers = { authorization: `Bearer ${owner.bearer}` }
  const readOne = async (query: string): Promise<void> => {
    const response = await fetch(`${url}${path}/${query}`, { headers })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${query} answered ${response.status}: ${text}`)
  }
  return async (paths: readonly string[]): Promise<number> => {
    const began = performance.now()
    await Promise.all(paths.map(readOne))
    return performance.now() - began
  }
}

type Query = readonly [what: string, paths: readonly string[]]
type Filters = Readonly<Record<string, string>>

/** The first page, a page from the middle, and pages with one filter each. */
const listOf =
  (path: string, name: string, filtersOf: (lists: Lists) => Filters) =>
  (lists: Lists): readonly Query[] => {
    const query = (filter: string): readonly string[] => [`${path}?limit=${LIMIT}${filter && `&${filter}`}`]
    const middle = lists.middle[name]
    const pages: readonly Query[] = [
      ['first page', query('')],
      ['oldest first', query('order=asc')],
      ...(middle === undefined ? [] : ([['in the middle', query(`startingAfter=${middle}`)]] as const)),
    ]
    return [...pages, ...Object.entries(filtersOf(lists)).map(([what, filter]): Query => [what, query(filter)])]
  }

/** When the record at this share of the list was created. */
const at = ({ rows }: Lists, share: number): string =>
  encodeURIComponent(new Date(Date.now() - (1 - share) * rows * 60_000).toISOString())

const timesOf = (lists: Lists): Filters => ({
  'created after': `createdAfter=${at(lists, 0.5)}`,
  'created before': `createdBefore=${at(lists, 0.5)}`,
  'created between': `createdAfter=${at(lists, 0.4)}&createdBefore=${at(lists, 0.5)}`,
})

const searches = ({ made }: Lists): Filters => ({
  'search of a payment': `q=${made.objectId}`,
  'search of a link': `q=${encodeId('plink', made.links.busy)}`,
  'search of a reference': `q=${encodeURIComponent('order 17')}`,
  'search of a common reference': 'q=busy',
  'search of a transaction': `q=${TX}`,
  'search of an address': `q=${RARE}`,
  'search of a common address': `q=${HOT_PAYER}`,
  'search of an e-mail address': 'q=ada',
  'search of a common e-mail address': 'q=customer',
  'search of nothing': `q=${encodeURIComponent('nothing at all')}`,
})

const lists: Readonly<Record<string, (lists: Lists) => readonly Query[]>> = {
  payments: listOf('payments', 'payment', lists => ({
    paid: 'status=success',
    failed: 'status=failed',
    'of two states': 'status=failed&status=success',
    'that need attention': 'attention=true',
    'of a busy link': `paymentLinkId=${encodeId('plink', lists.made.links.busy)}`,
    'of a quiet link': `paymentLinkId=${encodeId('plink', lists.made.links.quiet)}`,
    'of a common reference': 'reference=busy',
    'paid, from the middle': `status=success&startingAfter=${lists.middle.payment}`,
    'of a busy link, from the middle': `paymentLinkId=${encodeId('plink', lists.made.links.busy)}&startingAfter=${lists.middle.payment}`,
    ...timesOf(lists),
    ...searches(lists),
  })),
  'payment links': listOf('payment-links', 'payment_link', lists => ({
    active: 'status=active',
    'not active': 'status=deactivated&status=expired',
    'of a reference': `reference=${encodeURIComponent('link 17')}`,
    'search of a link': `q=${encodeId('plink', lists.made.links.quiet)}`,
    'search of a reference': `q=${encodeURIComponent('link 17')}`,
    ...timesOf(lists),
  })),
  refunds: listOf('refunds', 'refund', lists => ({
    'to be signed': 'status=requires_signature',
    done: 'status=processed&status=canceled',
    'that need attention': 'attention=true',
    'of a payment': `paymentId=${lists.made.objectId}`,
    ...timesOf(lists),
    ...searches(lists),
  })),
  disputes: listOf('disputes', 'dispute', lists => ({
    open: 'status=under_review&status=needs_response',
    won: 'status=won',
    'of a payment': `paymentId=${lists.made.objectId}`,
    ...timesOf(lists),
    ...searches(lists),
  })),
  events: listOf('events', 'event', ({ made }) => ({
    'of a common type': 'type=payment.succeeded',
    'of a rare type': 'type=payment.late',
    'of a payment': `objectId=${made.objectId}`,
  })),
  deliveries: listOf('deliveries', 'delivery', ({ made, middle }) => ({
    delivered: 'status=delivered',
    failed: 'status=failed',
    pending: 'status=pending',
    'of a common type': 'eventType=payment.succeeded',
    'of a rare type': 'eventType=refund.failed',
    'to an endpoint': `endpointId=${encodeId('whe', made.endpoints[1] ?? '')}`,
    'of an event': `eventId=${made.eventId}`,
    'delivered, from the middle': `status=delivered&startingAfter=${middle.delivery}`,
  })),
  'the audit log': listOf('audit-log', 'security_event', () => ({
    'of a common action': 'action=settings.changed',
    'of a rare action': 'action=member.removed',
  })),
  'the search over all': lists =>
    Object.entries(searches(lists)).map(([what, q]) => [
      what,
      ['payments', 'payment-links', 'refunds', 'disputes'].map(list => `${list}?limit=4&${q}`),
    ]),
}

import { encodeId } from '../../src/ids.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import type { IdPrefix } from '../../src/resources.ts'
import { DESTINATION, EMAIL, type Example, type ExampleShop } from './year-shop.ts'

/** A table, the columns that an insert gives, and for each row of the example the SQL of its columns. */
export type CopiedRows = {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly CopiedRow[]
}

/** `of`: which payments have such a row: all, those of a new customer, or those on a new link. */
export type CopiedRow = { readonly of: 'payment' | 'customer' | 'link' | 'late'; readonly values: readonly string[] }

export type CopiedExample = {
  readonly name: Example['name']
  readonly tables: readonly CopiedRows[]
  /** What its transitions add to the sums of payments. */
  readonly changes: CopiedRows
  /** What the payment adds to its link. */
  readonly onLink: { readonly revs: number; readonly opened: number; readonly count: number }
  /** The object of a refund or dispute has its ID in events. */
  readonly other: IdPrefix | undefined
  /** The row of its link, without what payments change. */
  readonly link: CopiedRows
}

/**
 * Tables whose rows do not belong to one payment. They are the same for a shop with many payments, or are made from the
 * rows of the others.
 */
const shared: ReadonlySet<string> = new Set([
  ...[
    'accounts',
    'sessions',
    'members',
    'merchants',
    'merchant_settings',
    'billing_settings',
    'receiving_addresses',
    'recovery_secrets',
  ],
  ...[
    'webhook_endpoints',
    'json_layouts',
    'webhook_subscriptions',
    'security_events',
    'migrations',
    'eras',
    'attempts',
    'audits',
  ],
  ...['machine_states', 'machine_flows', 'machine_stays', 'machine_versions', 'feed_cursors', 'payment_sums'],
  ...[
    'customer_totals',
    'chain_blocks',
    'chain_cursors',
    'chain_nodes',
    'workers',
    'retention_progress',
    'subscription_runs',
  ],
])

type Column = { readonly name: string; readonly type: string }
type Value = string | null
type Table = {
  readonly name: string
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Value[])[]
}

/** Reads the rows of the examples. Throws if a row belongs neither to an example nor to the whole shop. */
export const copyExamples = async (sql: Sql, shop: ExampleShop): Promise<readonly CopiedExample[]> => {
  const tables = (await readTables(sql)).filter(({ name }) => !shared.has(name))
  const rest = new Set(tables.flatMap(({ rows }) => rows))
  const copied = await Promise.all(shop.examples.map(example => copyExample(sql, { tables, shop, example, rest })))
  const unknown = tables.filter(({ rows }) => rows.some(row => rest.has(row))).map(({ name }) => name)
  if (unknown.length > 0)
    throw new Error(`rows of ${unknown} belong to no example: are they of one payment, or of the whole shop?`)
  return copied
}

const readTables = async (sql: Sql): Promise<readonly Table[]> => {
  const columns = await sql<(Column & { table: string })[]>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      and a.attidentity = '' and a.attgenerated = ''
    order by c.relname, a.attnum`
  const tables: Table[] = []
  for (const name of new Set(columns.map(({ table }) => table))) {
    const of = columns.filter(({ table }) => table === name)
    const isOrdered = name === 'transitions' || name === 'events'
    const rows = await sql.unsafe<Record<string, string>[]>(
      `select ${of.map(column => `"${column.name}"::text`).join(', ')} from ${name} ${isOrdered ? 'order by era, xid, seq' : ''}`,
    )
    if (rows.length > 0)
      tables.push({ name, columns: of, rows: rows.map(row => of.map(column => row[column.name] ?? null)) })
  }
  return tables
}

type Copying = {
  readonly tables: readonly Table[]
  readonly shop: ExampleShop
  readonly example: Example
  readonly rest: Set<readonly Value[]>
}

const copyExample = async (sql: Sql, copying: Copying): Promise<CopiedExample> => {
  const { tables, shop, example, rest } = copying
  const endpoints = (await sql<{ id: string }[]>`select id from webhook_endpoints`).map(({ id }) => id)
  const workers = new Set(
    (await sql<{ worker: string }[]>`select distinct worker::text from delivery_attempts`).map(({ worker }) => worker),
  )
  const foreign = new Set([...shop.merchants, ...endpoints, ...workers, ...shop.examples.map(({ link }) => link)])
  const own = ownOf(tables, example, foreign)
  const [endpoint = ''] = (
    await sql<{ id: string }[]>`select id from webhook_endpoints where merchant_id = ${shop.merchants[0] ?? ''}`
  ).map(({ id }) => id)
  const [payment] = rowsOf(tables, 'payments', row => row.id === example.payment)
  const [link] = rowsOf(tables, 'payment_links', row => row.id === example.link)
  if (!payment || !link) throw new Error(`the payment of ${example.name} is missing`)
  const prefixes = [
    ['refunds', 're'],
    ['disputes', 'dp'],
  ] as const
  const [other] = prefixes.flatMap(([table, prefix]) =>
    rowsOf(tables, table, row => own.ids.has(row.id ?? '')).map(row => ({ id: row.id ?? '', prefix })),
  )
  const onLink = rowsOf(tables, 'transitions', row => row.actor === example.link && row.rev !== '1')
  const commands = onLink.map(row => row.command ?? '')
  const ids = [...new Set([example.payment, payment.customer_id ?? '', other?.id ?? '', ...own.ids, ...commands])]
  const texts = (pattern: RegExp) => [...new Set([...own.rows].flatMap(row => row.join(' ').match(pattern) ?? []))]
  const [deposit] = rowsOf(tables, 'deposit_addresses', row => row.payment_id === example.payment)
  const blocks = new Set(
    ['transfers', 'transfer_sums'].flatMap(table =>
      rowsOf(tables, table, row => row.payment_id === example.payment).map(row => row.block_hash ?? ''),
    ),
  )
  const hashes = texts(/0x[0-9a-f]{64}/g).filter(hash => !blocks.has(hash))
  const translate = translation({
    ...{ example, payment, link, ids, other, shop, endpoint, hashes, blocks },
    treasury: deposit?.treasury ?? undefined,
    layouts: await readLayouts(sql),
  })
  const copied = tables.flatMap(({ name, columns, rows }): CopiedRows[] => {
    const values = rows.flatMap((row): CopiedRow[] => {
      const fields = fieldsOf(columns, row)
      const isOfLink = fields.actor === example.link
      if (!own.rows.has(row) && !(isOfLink && name === 'transitions')) return []
      rest.delete(row)
      const isOfCustomer = [fields.id, fields.actor, name === 'customer_emails' ? fields.customer_id : ''].includes(
        payment.customer_id,
      )
      const of = isOfCustomer
        ? 'customer'
        : isOfLink && fields.rev === '1'
          ? 'link'
          : name === 'waiting_addresses'
            ? 'late'
            : 'payment'
      return [{ of, values: columns.map((column, at) => translate(name, column, row[at] ?? null, isOfLink)) }]
    })
    return values.length === 0 ? [] : [{ table: name, columns: columns.map(column => column.name), rows: values }]
  })
  const links = tables.find(({ name }) => name === 'payment_links')
  const linkRow = links?.rows.find(row => row[0] === example.link) ?? []
  rest.delete(linkRow)
  return {
    name: example.name,
    tables: copied,
    changes: await changesOf(sql, { example, own: own.ids, createdAt: payment.created_at ?? '' }),
    onLink: {
      revs: Number(link.rev) - 1,
      opened: Number(link.payments_opened),
      count: Number(link.payments_count),
    },
    other: other?.prefix,
    link: {
      table: 'payment_links',
      columns: links?.columns.map(({ name }) => name) ?? [],
      rows: [
        {
          of: 'link',
          values: links?.columns.map((column, at) => ofLink(translate, column, linkRow[at] ?? null)) ?? [],
        },
      ],
    },
  }
}

/** By the function of the service. The copies have other times, links and merchants. */
const changesOf = async (
  sql: Sql,
  {
    example,
    own,
    createdAt,
  }: { readonly example: Example; readonly own: ReadonlySet<string>; readonly createdAt: string },
): Promise<CopiedRows> => {
  const changes = await sql<{ change: Readonly<Record<string, string | number | boolean | null>>; offset: number }[]>`
    select to_json(c) as change, (1000 * extract(epoch from c.at - ${createdAt}::text::timestamptz))::float8 as offset
    from (
      select array_agg(actor) as actors, array_agg(rev) as revs from (
        select actor, rev from transitions where actor = any(${[...own]}::uuid[]) order by era, xid, seq) t) t,
      payment_sum_changes(t.actors, t.revs) c`
  const columns = Object.keys(changes[0]?.change ?? {})
  const rows = changes.map(({ change, offset }): CopiedRow => {
    if (change.link !== example.link) throw new Error(`the sums of ${example.name} are of the link ${change.link}`)
    const special: Readonly<Record<string, string>> = {
      merchant_id: 'p.merchant_id',
      link: 'p.link_id::text',
      at: `(p.at + interval '${Math.round(offset)} milliseconds')`,
    }
    const values = columns.map(name => special[name] ?? sqlOf(change[name] ?? null))
    return { of: 'payment', values }
  })
  return { table: 'year.changes', columns, rows }
}

/** Only classes of durations can be null. */
const sqlOf = (value: string | number | boolean | null): string =>
  value === null ? 'null::smallint' : typeof value === 'string' ? literal(value) : `${value}`

type Fields = Readonly<Record<string, string | null>>

const fieldsOf = (columns: readonly Column[], row: readonly Value[]): Fields =>
  Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null]))

const rowsOf = (tables: readonly Table[], table: string, matches: (row: Fields) => boolean): readonly Fields[] => {
  const found = tables.find(({ name }) => name === table)
  return found?.rows.map(row => fieldsOf(found.columns, row)).filter(matches) ?? []
}

/** The rows that lead to the payment, by the ids in them. */
const ownOf = (tables: readonly Table[], { payment }: Example, foreign: ReadonlySet<string>) => {
  const ids = new Set([payment])
  const commands = new Set<string>()
  const rows = new Set<readonly Value[]>()
  for (let before = -1; before < rows.size; ) {
    before = rows.size
    for (const { name, columns, rows: all } of tables)
      for (const row of all) {
        if (rows.has(row) || name === 'payment_links') continue
        const uuids = columns.flatMap(({ type }, at) => (type === 'uuid' && row[at] ? [row[at]] : []))
        if (!uuids.some(id => ids.has(id)) && !isOfAddress(columns, row, ids, tables)) continue
        rows.add(row)
        const { kind, command } = fieldsOf(columns, row)
        // Deliveries that are answered at the same time have one command.
        const isShared = (id: string) => kind === 'delivery' && id === command
        for (const id of uuids)
          if (isShared(id)) commands.add(id)
          else if (!foreign.has(id)) ids.add(id)
      }
  }
  return { ids: new Set([...ids, ...commands]), rows }
}

/** A row of a deposit address, which has no id of the payment. */
const isOfAddress = (
  columns: readonly Column[],
  row: readonly Value[],
  ids: ReadonlySet<string>,
  tables: readonly Table[],
): boolean => {
  const { address, payment_id } = fieldsOf(columns, row)
  if (!address || payment_id !== undefined) return false
  return rowsOf(tables, 'payments', payment => ids.has(payment.id ?? '') && payment.address === address).length > 0
}

type Translating = {
  readonly example: Example
  readonly payment: Fields
  readonly link: Fields
  readonly ids: readonly string[]
  readonly other: { readonly id: string; readonly prefix: 're' | 'dp' } | undefined
  readonly shop: ExampleShop
  readonly endpoint: string
  readonly treasury: string | undefined
  /** Of transactions, and of blocks. */
  readonly hashes: readonly string[]
  readonly blocks: ReadonlySet<string>
  readonly layouts: Layouts
}

/** The names of the fields of each layout, by its id. */
type Layouts = ReadonlyMap<string, readonly string[]>

const readLayouts = async (sql: Sql): Promise<Layouts> => {
  const rows = await sql<{ id: number; template: string }[]>`select id, template from json_layouts`
  return new Map(rows.map(({ id, template }) => [`${id}`, Object.keys(JSON.parse(template.replaceAll('%s', 'null')))]))
}

/** Columns of numbers of blocks. */
const isBlock = /^(block_number|last_block|number|empty_number|deep_number)$/

const YEARS = `interval '10 years'`

/** Returns the SQL of a column's value for the copies. `p` is the row of the payment in year.batch. */
const translation = (given: Translating) => {
  const { example, payment, link, ids, other, shop, layouts } = given
  const [merchant = ''] = shop.merchants
  const tokens = new Map<string, string>()
  const add = (text: string | null | undefined, sql: string) => {
    if (text) tokens.set(text, sql)
  }
  for (const [at, id] of ids.entries()) add(id, at === 0 ? 'p.id' : `year.id(p.ms, ${at}, p.n)`)
  add(payment.customer_id, 'p.customer_id')
  add(encodeId('pay', example.payment), 'p.pub')
  add(encodeId('cus', payment.customer_id ?? ''), 'p.customer_pub')
  if (other) add(encodeId(other.prefix, other.id), 'p.other_pub')
  add(example.link, 'p.link_id')
  add(encodeId('plink', example.link), 'p.link_pub')
  add(merchant, 'p.merchant_id')
  add(encodeId('mer', merchant), 'p.merchant_pub')
  add(given.endpoint, 'p.endpoint_id')
  add(given.treasury, 'p.treasury')
  add(payment.address, 'p.address')
  add(payment.address?.toLowerCase(), 'p.address')
  add(payment.payer_address, 'p.payer')
  add(payment.payer_address?.toLowerCase(), 'p.payer')
  add(DESTINATION, `year.address('destination', p.n)`)
  add(EMAIL(example.name), 'p.email')
  add('Ada Example', `('Customer ' || p.customer)`)
  add(`${link.reference}`, 'p.reference')
  for (const [at, hash] of given.hashes.entries()) add(hash, `year.hash(${at}, p.n)`)
  for (const hash of given.blocks) add(hash, 'year.hash(-1, p.block)')
  const expiresAt = Date.parse(payment.expires_at ?? '')
  const timeOf = (text: string): string => {
    const at = Date.parse(text)
    if (Math.abs(at - Date.parse(link.created_at ?? '')) <= 1) return 'p.link_at'
    const offset = at - Date.parse(payment.created_at ?? '')
    const later = `(p.at + interval '${offset} milliseconds')`
    // Payments that wait keep waiting, as long as the rows are kept.
    return example.name === 'waiting' && at === expiresAt ? `(${later} + ${YEARS})` : later
  }
  const pattern = new RegExp(
    [
      ...[...tokens.keys()].sort((one, two) => two.length - one.length).map(escaped),
      '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z',
      '(?<="blockNumber":)\\d+',
      '(?<="payments(?:Opened|Count)":)\\d+',
    ].join('|'),
    'g',
  )
  /** `name`: that of the field with this value, which is not part of it. */
  const inText = (value: string, name = ''): string => {
    const parts: string[] = []
    const text = name + value
    let end = name.length
    for (const { 0: found, index } of text.matchAll(pattern)) {
      if (index > end) parts.push(literal(text.slice(end, index)))
      end = index + found.length
      const token = tokens.get(found)
      if (token) parts.push(`${token}::text`)
      else if (found.endsWith('Z')) parts.push(`year.iso(${timeOf(found)})`)
      else if (text.slice(0, index).endsWith('"blockNumber":')) parts.push('p.block::text')
      else {
        const which = text.slice(0, index).endsWith('"paymentsOpened":') ? 'p.link_opened' : 'p.link_count'
        parts.push(`(${which} + ${found})::text`)
      }
    }
    if (end < text.length || parts.length === 0) parts.push(literal(text.slice(end)))
    return parts.join(' || ')
  }
  /** The id of a layout and its values: see json_of() in sql/001-actors.sql. */
  const inObject = (stored: string): string => {
    if (stored.startsWith('{')) return inText(stored)
    const [layout = '', ...values] = stored.split('\t')
    const names = layouts.get(layout)
    if (!names) throw new Error(`the layout ${layout} is missing`)
    const parts = values.map((value, at) => `E'\\t' || ${inText(value, `"${names[at]}":`)}`)
    return [literal(layout), ...parts].join(' || ')
  }
  return (table: string, { name, type }: Column, value: Value, isOfLink: boolean): string => {
    if (name === 'xid') return 'p.xid'
    if (name === 'digest') return 'null::bytea'
    if (name === 'counter') return 'p.counter'
    if (name === 'secret_hash') return 'sha256(p.id::text::bytea)'
    if (name === 'key' && table === 'idempotency_keys') return `('refund of ' || p.n)`
    if (value === null) return `null::${type}`
    if (name === 'rev' && isOfLink && value !== '1') return `p.link_rev + ${Number(value) - 1}`
    if (type === 'bigint' && isBlock.test(name)) return 'p.block'
    if (type === 'timestamp with time zone' && !/^-?infinity$/.test(value)) return timeOf(value)
    const isObject = (table === 'transitions' && name === 'context') || (table === 'events' && name === 'object')
    return `(${isObject ? inObject(value) : inText(value)})::${type}`
  }
}

type Translate = ReturnType<typeof translation>

/** The row of a link, with what its payments have changed. `p` is a row of year.links. */
const ofLink = (translate: Translate, column: Column, value: Value): string => {
  const changed: Readonly<Record<string, string>> = {
    rev: 'p.rev',
    payments_opened: 'p.opened',
    payments_count: 'p.count',
    updated_at: 'p.updated_at',
  }
  return changed[column.name] ?? translate('payment_links', column, value, false)
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

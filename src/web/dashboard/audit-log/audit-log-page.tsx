import type { SecurityEvent } from '../../api/calls.ts'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { PickToggle, useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useIsOwner } from '../shell/shop.ts'
import { useAuditLogTexts } from './texts.ts'

/** Who has changed what. Only owners may read it. */
export const AuditLogPage = () => {
  const texts = useAuditLogTexts()
  return (
    <>
      <PageHead title={texts.title} lead={texts.what} />
      <OwnersNote of="readers" />
      {useIsOwner() && <Entries />}
    </>
  )
}

const Entries = () => {
  const texts = useAuditLogTexts()
  const position = usePosition()
  const { get, filter } = useAddressQuery()
  const action = get('action')
  const result = useShopQuery(['audit-log', position, action], ({ call, merchantId }, signal) =>
    readListPage<SecurityEvent>(position, page =>
      call('listSecurityEvents', { merchantId, ...page, ...(action !== undefined && { action }) }, { signal }),
    ),
  ).value
  return (
    <>
      {action !== undefined && (
        <div class="filters">
          <PickToggle isOn onToggle={() => filter({ action: undefined })}>
            {texts.only(texts.actions[action] ?? action)}
          </PickToggle>
        </div>
      )}
      <Result result={result} skeleton={<SkeletonRows rows={8} />}>
        {page =>
          page.rows.length === 0 ? (
            <Empty title={texts.nothing}>{texts.nothingWhat}</Empty>
          ) : (
            <>
              <EntriesTable rows={page.rows} />
              <PageLinks {...page} />
            </>
          )
        }
      </Result>
    </>
  )
}

const EntriesTable = ({ rows }: { readonly rows: readonly SecurityEvent[] }) => {
  const texts = useAuditLogTexts()
  const { addressWith } = useAddressQuery()
  const whoOf = ({ email, actor }: SecurityEvent) => {
    if (email !== null) return email
    return actor === 'operator' || actor === 'service' ? texts.actors[actor] : actor
  }
  const columns: readonly TableColumn<SecurityEvent>[] = [
    {
      key: 'action',
      head: texts.action,
      card: 1,
      cell: ({ action, details }) => (
        <>
          <a
            class="open"
            href={addressWith({ action, after: undefined, before: undefined })}
            aria-label={texts.allOf(texts.actions[action] ?? action)}
          >
            {texts.actions[action] ?? action}
          </a>
          <span class="table__under">
            <code>{action}</code> {textOf(details)}
          </span>
        </>
      ),
    },
    { key: 'who', head: texts.who, card: 3, cell: event => <span class="clip">{whoOf(event)}</span> },
    { key: 'address', head: texts.address, card: 7, cell: ({ address }) => address ?? texts.none },
    { key: 'when', head: texts.when, card: 4, end: true, cell: ({ createdAt }) => <Moment at={createdAt} short /> },
  ]
  return <Table label={texts.list} columns={columns} rows={rows} keyOf={({ id }) => id} />
}

/** `role: viewer, toleranceBps: 50 → 125`: the fields depend on the action. */
const textOf = (details: object): string =>
  Object.entries(details)
    .map(([name, value]) => (name === 'changed' ? textOf(value) : `${name}: ${wordsOf(value)}`))
    .join(', ')

const wordsOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && 'from' in value && 'to' in value)
    return `${wordsOf(value.from)} → ${wordsOf(value.to)}`
  return JSON.stringify(value)
}

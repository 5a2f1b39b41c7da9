import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useAddressQuery } from './filters.tsx'
import { useAddress } from './shop.ts'
import { useTexts } from './texts.ts'

type Identified = { readonly id: string }

type ListRequest = { readonly limit: number; readonly order?: 'asc' | 'desc'; readonly startingAfter?: string }

type ListResponse<Row> = { readonly data: readonly Row[]; readonly has_more: boolean }

/** One page of a list, newest first. */
export type ListPage<Row> = {
  readonly rows: readonly Row[]
  readonly hasNewer: boolean
  readonly hasOlder: boolean
}

/** The position in the list: after or before a record, as in the address. */
export type ListPosition = { readonly after?: string | undefined; readonly before?: string | undefined }

const LIMIT = 25

/** Reads the page after or before a record. Before it, the list is walked in the other direction. */
export const readListPage = async <Row extends Identified>(
  { after, before }: ListPosition,
  read: (request: ListRequest) => Promise<ListResponse<Row>>,
): Promise<ListPage<Row>> => {
  if (before !== undefined) {
    const { data, has_more } = await read({ limit: LIMIT, order: 'asc', startingAfter: before })
    if (has_more) return { rows: data.toReversed(), hasNewer: true, hasOlder: true }
    // These are the newest ones: then the first page is shown in full.
  }
  const { data, has_more } = await read({
    limit: LIMIT,
    ...(before === undefined && after && { startingAfter: after }),
  })
  return { rows: data, hasNewer: before === undefined && after !== undefined, hasOlder: has_more }
}

export const usePosition = (): ListPosition => {
  const { get } = useAddressQuery()
  return { after: get('after'), before: get('before') }
}

/** Links to the pages with newer and with older records. */
export const PageLinks = <Row extends Identified>({ rows, hasNewer, hasOlder }: ListPage<Row>) => {
  const { list } = useTexts()
  const { addressWith } = useAddressQuery()
  const [first, last] = [rows.at(0), rows.at(-1)]
  return (
    <nav class="pages" aria-label={list.pages}>
      <span>{list.timeZone(Intl.DateTimeFormat().resolvedOptions().timeZone)}</span>
      {(hasNewer || hasOlder) && (
        <span class="buttons">
          <PageLink
            href={hasNewer && first ? addressWith({ before: first.id, after: undefined }) : undefined}
            icon="left"
            name={list.newer}
          />
          <PageLink
            href={hasOlder && last ? addressWith({ after: last.id, before: undefined }) : undefined}
            icon="right"
            name={list.older}
          />
        </span>
      )}
    </nav>
  )
}

type PageLinkProps = { readonly href: string | undefined; readonly icon: 'left' | 'right'; readonly name: string }

const PageLink = ({ href, icon, name }: PageLinkProps) => {
  const content = (
    <>
      {icon === 'left' && <Icon name="left" small />}
      {name}
      {icon === 'right' && <Icon name="right" small />}
    </>
  )
  return href === undefined ? (
    <span class="button button--small" aria-disabled="true">
      {content}
    </span>
  ) : (
    <a class="button button--small" href={href}>
      {content}
    </a>
  )
}

/** Instead of a list whose filters no record fits. */
export const NothingMatches = ({ section }: { readonly section: string }) => {
  const { list } = useTexts()
  const address = useAddress()
  return (
    <Empty
      title={list.nothing}
      action={
        <a class="button" href={address(section)}>
          {list.reset}
        </a>
      }
    >
      {list.nothingWhat}
    </Empty>
  )
}

import { useState } from 'preact/hooks'
import type { Balance } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { Empty } from '../../parts/empty.tsx'
import { AssetAmount } from '../../parts/money.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { ExportButton } from '../exports/export-button.tsx'
import { explorerLink } from '../shell/chains.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useCanWrite } from '../shell/shop.ts'
import { Collect } from './collect.tsx'
import { useBalanceTexts } from './texts.ts'

/** What waits at the addresses of payments, by network, asset and receiving address. */
export const BalancesPage = () => {
  const texts = useBalanceTexts()
  const [collected, setCollected] = useState<Balance>()
  const result = useShopQuery(['balances'], ({ merchantId, livemode, call }, signal) =>
    call('listBalances', { merchantId, livemode }, { signal }),
  ).value
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.what}
        actions={<ExportButton lists={[{ kind: 'balances', filters: {} }]} />}
      />
      <OwnersNote />
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {({ data, has_more, unavailable }) => (
          <>
            {unavailable.length > 0 && (
              <NoteBox title={texts.awayTitle(unavailable.map(({ network }) => network).join(', '))} tone="warn">
                {texts.awayWhat}
              </NoteBox>
            )}
            {data.length > 0 && <BalancesTable rows={data} onCollect={setCollected} />}
            {data.length === 0 && unavailable.length === 0 && <Empty title={texts.emptyTitle}>{texts.emptyWhat}</Empty>}
            {has_more && <p class="quiet">{texts.more}</p>}
          </>
        )}
      </Result>
      {collected && <Collect balance={collected} onClose={() => setCollected(undefined)} />}
    </>
  )
}

type TableProps = { readonly rows: readonly Balance[]; readonly onCollect: (balance: Balance) => void }

const BalancesTable = ({ rows, onCollect }: TableProps) => {
  const texts = useBalanceTexts()
  const { formats } = useReader()
  const canWrite = useCanWrite()
  const columns: readonly TableColumn<Balance>[] = [
    { key: 'network', head: texts.network, card: 3, cell: ({ network }) => network },
    {
      key: 'amount',
      head: texts.amount,
      card: 1,
      cell: ({ amount, asset, decimals }) => <AssetAmount amount={amount} asset={asset} decimals={decimals} />,
    },
    {
      key: 'addresses',
      head: texts.addresses,
      card: 4,
      cell: ({ addresses }) => (addresses === 1 ? texts.oneAddress : texts.addressCount(formats.count(addresses))),
    },
    {
      key: 'treasury',
      head: texts.treasury,
      card: 5,
      cell: ({ chainId, treasury }) => {
        const href = explorerLink(chainId, 'address', treasury)
        return <ShortHex value={treasury} what={texts.treasury} {...(href !== undefined && { href })} />
      },
    },
    {
      key: 'collect',
      head: texts.collect,
      quietHead: true,
      card: 2,
      end: true,
      cell: balance =>
        canWrite && (
          <button type="button" class="button button--small" onClick={() => onCollect(balance)}>
            {texts.collect}
            <span class="sr"> {`${balance.asset} · ${balance.network}`}</span>
          </button>
        ),
    },
  ]
  return (
    <Table
      label={texts.list}
      columns={columns}
      rows={rows}
      keyOf={({ chainId, asset, treasury }) => `${chainId} ${asset} ${treasury}`}
    />
  )
}

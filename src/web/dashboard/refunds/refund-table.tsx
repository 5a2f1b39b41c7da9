import type { RefundWithAttention } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { AssetAmount, FiatAmount } from '../../parts/money.tsx'
import { StateBadge } from '../../parts/state-strip.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { findUnit } from '../shell/chains.ts'
import { useLive } from '../shell/live.ts'
import { useActionsColumn } from '../shell/row-actions.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useReasonOf } from './refund-note.ts'
import { isManual, isRefundOver, networkOf, refundPath, refundRemark } from './refund-state.ts'
import { useRefundTexts } from './texts.ts'

type TableProps = {
  readonly label: string
  readonly rows: readonly RefundWithAttention[]
  /** Beside other content: without the destination and the next step. */
  readonly compact?: boolean
}

export const RefundTable = ({ label, rows, compact = false }: TableProps) => {
  const texts = useRefundTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const changed = useLive()?.changed.value
  const actionsColumn = useActionsColumn()
  const reasonOf = useReasonOf()
  const columns: readonly TableColumn<RefundWithAttention>[] = [
    {
      key: 'status',
      head: texts.status,
      card: 2,
      cell: refund => (
        <>
          <StateBadge path={refundPath(refund, texts, canWrite)} />
          <span class="what">{refundRemark(refund, texts)}</span>
        </>
      ),
    },
    {
      key: 'reason',
      head: texts.reason,
      card: 3,
      cell: refund => (
        <a class="open clip" href={address('refunds', refund.id)}>
          {reasonOf(refund)}
        </a>
      ),
    },
    {
      key: 'to',
      head: texts.to,
      card: 5,
      named: true,
      cell: ({ destination, claimUrl }) => {
        if (destination !== null) return <ShortHex value={destination} what={texts.destination} />
        return (
          <span class="quiet">
            {texts.claimLink} {claimUrl !== null && <CopyButton value={claimUrl} what={texts.link} />}
          </span>
        )
      },
    },
    { key: 'created', head: texts.created, card: 4, cell: ({ createdAt }) => <Moment at={createdAt} short /> },
    {
      key: 'amount',
      head: texts.amount,
      card: 1,
      end: true,
      cell: refund => {
        const { amountMinor, currency, crypto } = refund
        const unit = findUnit(crypto)
        return (
          <>
            <FiatAmount minor={amountMinor} currency={currency} />
            <span class="table__under">
              {unit ? (
                <AssetAmount amount={crypto.amount} {...unit} network={networkOf(refund)} />
              ) : (
                texts.units(crypto.amount, crypto.asset)
              )}
            </span>
          </>
        )
      },
    },
    actionsColumn(6, refund => {
      const name = canWrite && nextStep(refund)
      return (
        name && (
          <a class="button button--small" href={address('refunds', refund.id)}>
            {texts.stages[name]}
          </a>
        )
      )
    }),
  ]
  return (
    <div class={compact ? 'pay' : 'pay queue'}>
      <Table
        label={label}
        columns={compact ? columns.filter(({ key }) => key !== 'to' && key !== 'actions') : columns}
        rows={rows}
        keyOf={({ id }) => id}
        stateOf={refund => (changed?.has(refund.id) ? 'changed' : isRefundOver(refund) ? 'ended' : undefined)}
      />
    </div>
  )
}

const nextStep = (refund: RefundWithAttention): 'resolve' | 'sign' | 'retryShort' | undefined => {
  const { status, attention } = refund
  if (attention) return 'resolve'
  if (status === 'requires_signature') return isManual(refund) ? 'sign' : undefined
  return status === 'failed' ? 'retryShort' : undefined
}

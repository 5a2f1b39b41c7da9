import type { PaymentWithCrypto } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { StateBadge } from '../../parts/state-strip.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { useLive } from '../shell/live.ts'
import { useTexts } from '../shell/texts.ts'
import { isPaymentOver, paymentPath, paymentRemark } from './payment-state.ts'

type PaymentLinesProps = {
  readonly label: string
  /** After the state. */
  readonly columns: readonly TableColumn<PaymentWithCrypto>[]
  readonly rows: readonly PaymentWithCrypto[]
}

/** Payments, each with its state first. */
export const PaymentLines = ({ label, columns, rows }: PaymentLinesProps) => {
  const { payments, states } = useTexts()
  const { formats } = useReader()
  const changed = useLive()?.changed.value
  const status: TableColumn<PaymentWithCrypto> = {
    ...{ key: 'status', head: payments.status, card: 2 },
    cell: payment => (
      <>
        <StateBadge path={paymentPath(payment, states)} />
        <span class="what">{paymentRemark(payment, states, formats)}</span>
      </>
    ),
  }
  return (
    <div class="pay">
      <Table
        label={label}
        columns={[status, ...columns]}
        rows={rows}
        keyOf={({ id }) => id}
        stateOf={payment => (changed?.has(payment.id) ? 'changed' : isPaymentOver(payment) ? 'ended' : undefined)}
      />
    </div>
  )
}

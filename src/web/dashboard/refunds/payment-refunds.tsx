import { useState } from 'preact/hooks'
import type { PaymentWithCrypto } from '../../api/calls.ts'
import { Icon } from '../../parts/icon.tsx'
import { useReader } from '../../parts/reader.ts'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { NewRefund } from './new-refund.tsx'
import { RefundTable } from './refund-table.tsx'
import { isRefundable, remainingOf } from './remaining.ts'
import { useRefundTexts } from './texts.ts'

type PaymentProps = { readonly payment: PaymentWithCrypto }

const MOST = 100

const useRefundsOf = ({ id, livemode }: PaymentWithCrypto) =>
  useShopQuery(['refunds', 'of', id], ({ merchantId, call }, signal) =>
    call('listRefunds', { merchantId, livemode, paymentId: id, limit: MOST }, { signal }),
  ).value.data

/** The refunds of a payment, and what can still be refunded. */
export const PaymentRefunds = ({ payment }: PaymentProps) => {
  const texts = useRefundTexts()
  const { formats } = useReader()
  const address = useAddress()
  const refunds = useRefundsOf(payment)
  if (!refunds || refunds.data.length === 0) return null
  const { remaining } = remainingOf(payment, refunds.data)
  return (
    <Section
      title={texts.title}
      aside={
        refunds.has_more ? (
          <a href={`${address('refunds')}?payment=${payment.id}`}>{texts.more(MOST)}</a>
        ) : (
          texts.start.left(formats.money(remaining, payment.currency))
        )
      }
    >
      <RefundTable label={texts.title} rows={refunds.data} compact />
    </Section>
  )
}

/** The button that starts a refund, as long as something remains. */
export const RefundPayment = ({ payment }: PaymentProps) => {
  const texts = useRefundTexts()
  const canWrite = useCanWrite()
  const [isOpen, setOpen] = useState(false)
  const refunds = useRefundsOf(payment)
  if (!canWrite || !refunds || !isRefundable(payment)) return null
  const { remaining, taken } = remainingOf(payment, refunds.data)
  if (remaining === 0 && !isOpen) return null
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon name="refund" />
        {texts.start.button}
      </button>
      {isOpen && <NewRefund payment={payment} remaining={remaining} taken={taken} onClose={() => setOpen(false)} />}
    </>
  )
}

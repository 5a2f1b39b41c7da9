import type { ComponentChildren } from 'preact'
import { useRoute } from 'preact-iso'
import type { PaymentWithCrypto } from '../../api/calls.ts'
import { FullAddress, ShortHex } from '../../parts/address.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { AssetAmount, FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateBadge, StateStrip } from '../../parts/state-strip.tsx'
import { InvoiceLink } from '../billing-records/invoice-link.tsx'
import { OpenDispute } from '../disputes/open-dispute.tsx'
import { RecordEvents } from '../events/record-events.tsx'
import { PaymentRefunds, RefundPayment } from '../refunds/payment-refunds.tsx'
import { SandboxPay } from '../sandbox/sandbox-pay.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Facts, RecordJson, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { isErasedAddress, useShownEmail } from '../shell/shown-email.ts'
import { useTexts } from '../shell/texts.ts'
import { PaymentHistory } from './history.tsx'
import { Decision, PaymentActions } from './payment-actions.tsx'
import { paymentPath, paymentRemark } from './payment-state.ts'
import { usePaymentTexts } from './texts.ts'
import { Transfers } from './transfers.tsx'

export const PaymentPage = () => {
  const { id = '' } = useRoute().params
  const texts = usePaymentTexts()
  const { payments } = useTexts()
  const { formats } = useReader()
  const address = useAddress()
  const result = useShopQuery(['payments', 'one', id], ({ merchantId, call }, signal) =>
    call('getPayment', { merchantId, id }, { signal }),
  ).value
  const payment = result.data
  const amount = payment && formats.money(payment.amountMinor, payment.currency)
  return (
    <>
      <PageHead
        title={texts.title(amount ?? id)}
        back={{ href: address('payments'), label: payments.title }}
        heading={
          <>
            <span class="sr">{texts.title('')}</span> <span class="amount">{amount ?? '…'}</span>
          </>
        }
        lead={payment ? <Subtitle payment={payment} /> : <ShortHex value={id} what={texts.id} />}
        actions={
          payment && (
            <>
              <PaymentActions payment={payment} />
              <OpenDispute payment={payment} />
              {/* Otherwise it is among the decisions. */}
              {!payment.attention && <RefundPayment payment={payment} />}
            </>
          )
        }
      />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {found => <OnePayment payment={found} />}
      </Result>
    </>
  )
}

type PaymentProps = { readonly payment: PaymentWithCrypto }

const Subtitle = ({ payment }: PaymentProps) => {
  const texts = usePaymentTexts()
  const { states } = useTexts()
  const shownEmail = useShownEmail()
  const { customerEmail, reference, id } = payment
  return (
    <span class="sub">
      <StateBadge path={paymentPath(payment, states)} />
      {isErasedAddress(customerEmail) ? (
        shownEmail(customerEmail)
      ) : (
        <a href={`mailto:${customerEmail}`}>{customerEmail}</a>
      )}
      {reference !== null && <span>{texts.reference(reference)}</span>}
      <ShortHex value={id} what={texts.id} />
    </span>
  )
}

const OnePayment = ({ payment }: PaymentProps) => {
  const texts = usePaymentTexts()
  const { states } = useTexts()
  const path = paymentPath(payment, states)
  return (
    <>
      <div class="band">
        <StateStrip label={texts.state} path={path} notes={useNotes(payment, path.at)} />
      </div>
      <Decision payment={payment} />
      <div class="split split--turned">
        <div>
          <SandboxPay payment={payment} />
          <PaidWith payment={payment} />
        </div>
        <div>
          <PaymentHistory payment={payment} />
          <Transfers payment={payment} />
          <PaymentRefunds payment={payment} />
          <RecordEvents id={payment.id} />
          <RecordJson record={payment} />
        </div>
        <div>
          <Details payment={payment} />
        </div>
      </div>
    </>
  )
}

/** Under each mark: when it was reached, and what is missing. */
const useNotes = (payment: PaymentWithCrypto, at: number): readonly ComponentChildren[] => {
  const texts = usePaymentTexts()
  const { states } = useTexts()
  const { formats, now } = useReader()
  const { createdAt, updatedAt, expiresAt, status, crypto } = payment
  const remark = paymentRemark(payment, states, formats)
  const seen = crypto?.transfers.find(({ state }) => state !== 'orphaned')?.minedAt
  const notes: ComponentChildren[] = [
    formats.listed(createdAt, now.value),
    seen && at > 0 ? formats.listed(seen, now.value) : undefined,
  ]
  if (status === 'pending') notes[0] = texts.until(formats.listed(expiresAt, now.value))
  if (status === 'success') notes[2] = crypto ? texts.finalOn(crypto.network) : formats.listed(updatedAt, now.value)
  if (remark !== undefined)
    notes[at] = (
      <>
        {notes[at]}
        <br />
        {remark}
      </>
    )
  return notes
}

const PaidWith = ({ payment }: { readonly payment: PaymentWithCrypto }) => {
  const texts = usePaymentTexts()
  const { formats } = useReader()
  const { crypto, amountRefundedMinor, currency } = payment
  if (crypto === null || crypto.asset === null || crypto.decimals === null)
    return (
      <Section title={texts.paidWith}>
        <p class="quiet">{texts.notChosen}</p>
      </Section>
    )
  const { asset, decimals, network, amountExpected, amountReceived, quote, address, txHash, explorerUrl } = crypto
  const unit = { asset, decimals }
  return (
    <Section title={texts.paidWith}>
      <Facts
        facts={[
          [texts.asset, texts.assetOn(asset, network)],
          [texts.due, amountExpected !== null && <AssetAmount amount={amountExpected} {...unit} />],
          [texts.received, <AssetAmount amount={amountReceived} {...unit} />],
          [texts.refunded, amountRefundedMinor > 0 && <FiatAmount minor={amountRefundedMinor} currency={currency} />],
          [
            texts.price,
            quote && (
              <>
                {texts.rate(currency, formats.decimal(quote.rate), asset)}
                {quote.expiresAt !== null && (
                  <span class="under">{texts.heldUntil(formats.exact(quote.expiresAt))}</span>
                )}
              </>
            ),
          ],
          [texts.sentTo, address !== null && <FullAddress value={address} />],
          [texts.transaction, txHash !== null && <ShortHex value={txHash} what={texts.transaction} />],
          [
            '',
            explorerUrl !== null && (
              <a href={explorerUrl} rel="noreferrer">
                {texts.explorer}
              </a>
            ),
          ],
        ]}
      />
    </Section>
  )
}

const Details = ({ payment }: { readonly payment: PaymentWithCrypto }) => {
  const texts = usePaymentTexts()
  const address = useAddress()
  const shownEmail = useShownEmail()
  const {
    id,
    customerName,
    customerId,
    customerEmail,
    paymentLinkId,
    invoiceId,
    receiptUrl,
    status,
    createdAt,
    expiresAt,
    metadata,
  } = payment
  return (
    <Section title={texts.details}>
      <Facts
        facts={[
          [
            texts.id,
            <>
              <code>{id}</code> <CopyButton value={id} what={texts.id} />
            </>,
          ],
          [
            texts.customer,
            customerId === null ? (
              customerName
            ) : (
              <a href={address('customers', customerId)}>{customerName ?? shownEmail(customerEmail)}</a>
            ),
          ],
          // The link behind an invoice is hidden.
          [texts.link, invoiceId === null && <a href={address('links', paymentLinkId)}>{texts.openLink}</a>],
          [texts.invoice, invoiceId !== null && <InvoiceLink id={invoiceId} number={payment.invoiceNumber} />],
          [texts.receipt, status === 'success' && receiptUrl !== null && <a href={receiptUrl}>{texts.openReceipt}</a>],
          [texts.status, <code>{status}</code>],
          [texts.createdAt, <Moment at={createdAt} />],
          [texts.expiresAt, <Moment at={expiresAt} />],
          ...Object.entries(metadata).map(([key, value]) => [<code>{key}</code>, value] as const),
        ]}
      />
    </Section>
  )
}

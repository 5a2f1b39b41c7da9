import { useEffect, useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import type { RefundWithAttention } from '../../api/calls.ts'
import { FullAddress, ShortHex } from '../../parts/address.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateBadge, StateStrip } from '../../parts/state-strip.tsx'
import { InvoiceLink } from '../billing-records/invoice-link.tsx'
import { explorerLink, findChain, findUnit } from '../shell/chains.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Facts, RecordJson, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useShownEmail } from '../shell/shown-email.ts'
import { Timeline } from '../shell/timeline.tsx'
import { CancelRefund } from './decisions.tsx'
import { eraseNote, readNote } from './notes.ts'
import { useNoteOf, usePaymentOf, useReasonOf } from './refund-note.ts'
import { networkOf, refundPath, refundRemark } from './refund-state.ts'
import { reportNoted } from './reporting.ts'
import { forgetTrouble, isAsking } from './signing.ts'
import { Stage } from './stage.tsx'
import { useRefundTexts } from './texts.ts'

export const RefundPage = () => {
  const { id = '' } = useRoute().params
  const texts = useRefundTexts()
  const { formats } = useReader()
  const address = useAddress()
  const canWrite = useCanWrite()
  const { result, notice, look } = useRefund(id)
  const refund = result.data?.refund
  const amount = refund && formats.money(refund.amountMinor, refund.currency)
  return (
    <>
      <PageHead
        title={texts.refundTitle(amount ?? id)}
        back={{ href: address('refunds'), label: texts.title }}
        heading={
          <>
            <span class="sr">{texts.refundTitle('')}</span> <span class="amount">{amount ?? '…'}</span>
          </>
        }
        lead={
          <span class="sub">
            {refund && <StateBadge path={refundPath(refund, texts, canWrite)} />}
            {refund && <Reason refund={refund} />}
            <ShortHex value={id} what={texts.id} />
          </span>
        }
        actions={refund && <CancelRefund refund={refund} />}
      />
      <OwnersNote />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {found => (
          <>
            <div class="band">
              <RefundStrip refund={found.refund} />
            </div>
            <Stage refund={found.refund} refusal={found.refusal} notice={notice} look={look} />
            <div class="split">
              <div>
                <RefundHistory refund={found.refund} />
                <RecordJson record={found.refund} />
              </div>
              <Details refund={found.refund} />
            </div>
          </>
        )}
      </Result>
    </>
  )
}

/** How often the chain is asked through the server while a transaction gets its confirmations. */
const CONFIRMING_MS = 3_000

/** The refund; before it is read, a hash that a wallet has returned is reported. */
const useRefund = (id: string) => {
  const [notice, setNotice] = useState<string>()
  const result = useShopQuery(['refunds', 'one', id], async ({ merchantId, call }, signal) => {
    const { refund, refusal } = await reportNoted(call, id)
    const found = refund ?? (await call('getRefund', { merchantId, id }, { signal }))
    // It is paid, so the note is not needed any more.
    if (found.status === 'processed' && readNote(id)?.hash === null) eraseNote(id)
    return { refund: found, refusal }
  }).value
  const { refetch } = result
  const status = result.data?.refund.status
  const isWithWallet = isAsking(id)
  const noted = readNote(id)?.hash ?? null

  useEffect(() => {
    const read = () => void refetch({ cancelRefetch: false })
    // After the wallet, for example.
    addEventListener('focus', read)
    const timer = status === 'processing' ? setInterval(read, CONFIRMING_MS) : undefined
    return () => {
      removeEventListener('focus', read)
      clearInterval(timer)
    }
  }, [status])
  // The wallet has answered, here or in another tab.
  useEffect(() => {
    if (!isWithWallet) void refetch({ cancelRefetch: false })
  }, [isWithWallet, noted])
  useEffect(() => {
    if (status !== undefined && status !== 'requires_signature') forgetTrouble(id)
  }, [status])

  const look = (refusal?: string) => {
    setNotice(refusal)
    return refetch({ cancelRefetch: false })
  }
  return { result, notice, look }
}

type RefundProps = { readonly refund: RefundWithAttention }

const RefundStrip = ({ refund }: RefundProps) => {
  const texts = useRefundTexts()
  const { formats, now } = useReader()
  const path = refundPath(refund, texts, useCanWrite())
  const remark = refundRemark(refund, texts)
  const notes = path.words.map((_, n) => {
    if (n === 0) return formats.listed(refund.createdAt, now.value)
    if (n !== path.at) return undefined
    return remark ?? formats.listed(refund.updatedAt, now.value)
  })
  return <StateStrip label={texts.state} path={path} notes={notes} />
}

const RefundHistory = ({ refund: { id } }: RefundProps) => {
  const texts = useRefundTexts()
  return (
    <Timeline
      section="refunds"
      id={id}
      call="listRefundHistory"
      opened={texts.opened}
      events={texts.events}
      shapeOf={({ to, event }) => {
        if (event === 'stray_transfer_seen' || event === 'transaction_gone') return 'warn'
        if (event === 'transaction_verified') return 'done'
        if (event === 'transaction_failed') return 'bad'
        return to === 'canceled' && event === 'cancel' ? 'off' : undefined
      }}
    />
  )
}

const Details = ({ refund }: RefundProps) => {
  const texts = useRefundTexts()
  const { formats } = useReader()
  const { id, destination, crypto, status, createdAt, metadata } = refund
  const { chainId, txHash, confirmations } = crypto
  const address = useAddress()
  const payment = usePaymentOf(refund)
  const note = useNoteOf(refund)
  const unit = findUnit(crypto)
  const needed = findChain(chainId)?.confirmations
  const transaction = txHash === null ? undefined : explorerLink(chainId, 'tx', txHash)
  return (
    <Section title={texts.details}>
      <Facts
        facts={[
          [texts.receives, unit ? formats.units(crypto.amount, unit) : texts.units(crypto.amount, crypto.asset)],
          [texts.network, networkOf(refund)],
          [
            texts.destination,
            destination === null ? (
              <span class="quiet">{texts.noDestination}</span>
            ) : (
              <FullAddress value={destination} />
            ),
          ],
          [texts.payment, <PaymentOf refund={refund} />],
          [
            texts.invoice,
            payment && payment.invoiceId !== null && (
              <InvoiceLink id={payment.invoiceId} number={payment.invoiceNumber} />
            ),
          ],
          [texts.note, note && <a href={address('credit-notes', note.id)}>{note.number}</a>],
          [
            texts.transaction,
            txHash !== null && (
              <ShortHex
                value={txHash}
                what={texts.transaction}
                {...(transaction !== undefined && { href: transaction })}
              />
            ),
          ],
          [
            texts.confirmationsLabel,
            status === 'processing' && needed !== undefined && texts.confirmations(confirmations, needed),
          ],
          [
            texts.id,
            <>
              <code>{id}</code> <CopyButton value={id} what={texts.id} />
            </>,
          ],
          [texts.statusInApi, <code>{status}</code>],
          [texts.createdAt, <Moment at={createdAt} />],
          ...Object.entries(metadata).map(([key, value]) => [<code>{key}</code>, value] as const),
        ]}
      />
    </Section>
  )
}

const Reason = ({ refund }: RefundProps) => {
  const reasonOf = useReasonOf()
  const note = useNoteOf(refund)
  return refund.reason === null && refund.creditNoteId === null ? null : <span>{reasonOf(refund, note)}</span>
}

const PaymentOf = ({ refund }: RefundProps) => {
  const { paymentId } = refund
  const { formats } = useReader()
  const address = useAddress()
  const payment = usePaymentOf(refund)
  const shownEmail = useShownEmail()
  const name = payment && (payment.reference ?? shownEmail(payment.customerEmail))
  return (
    <a href={address('payments', paymentId)}>
      {payment ? `${formats.money(payment.amountMinor, payment.currency)}, ${name}` : paymentId}
    </a>
  )
}

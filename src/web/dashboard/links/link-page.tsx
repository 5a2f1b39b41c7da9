import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import type { PaymentLink } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { showToast } from '../../parts/toast.tsx'
import { LinkChart } from '../analytics/link-chart.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { Facts, RecordJson, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { LinkQr } from './link-qr.tsx'
import { linkLooks } from './link-state.ts'
import { NoAddressNote } from './no-address.tsx'
import { ShareAddress } from './share-address.tsx'
import { useLinksTexts } from './texts.ts'

export const LinkPage = () => {
  const { id = '' } = useRoute().params
  const texts = useLinksTexts()
  const { formats } = useReader()
  const address = useAddress()
  const result = useShopQuery(['links', 'one', id], ({ merchantId, call }, signal) =>
    call('getPaymentLink', { merchantId, id }, { signal }),
  ).value
  const link = result.data
  const amount = link && formats.money(link.amountMinor, link.currency)
  return (
    <>
      <PageHead
        title={texts.linkTitle(amount ?? id)}
        back={{ href: address('links'), label: texts.title }}
        heading={
          <>
            <span class="sr">{texts.linkTitle('')}</span> <span class="amount">{amount ?? '…'}</span>
          </>
        }
        lead={
          <span class="sub">
            {link && <Badge {...linkLooks[link.status]}>{texts.states[link.status]}</Badge>}
            {link && <span>{link.title ?? texts.untitled}</span>}
            <ShortHex value={id} what={texts.id} />
          </span>
        }
        actions={link && <Deactivate link={link} />}
      />
      <Result result={result} skeleton={<SkeletonRows rows={8} />}>
        {found => (
          <>
            {found.status === 'active' && <NoAddressNote links={[found]} />}
            <OneLink link={found} />
          </>
        )}
      </Result>
    </>
  )
}

const OneLink = ({ link }: { readonly link: PaymentLink }) => {
  const texts = useLinksTexts()
  const address = useAddress()
  const { id, status, description, reference, url, paymentsCount, maxPayments } = link
  return (
    <div class="split">
      <div>
        <Section title={texts.share}>
          <p class="quiet">{status === 'active' ? texts.shareWhat : texts.shareClosed[status]}</p>
          <ShareAddress url={url} open={texts.open}>
            {status === 'active' && <LinkQr link={link} />}
          </ShareAddress>
        </Section>
        {/* Those of other links are counted together. */}
        {maxPayments !== 1 && !link.hidden && <LinkChart link={link} />}
        <RecordJson record={link} />
      </div>
      <Section title={texts.details}>
        <Facts
          facts={[
            [texts.description, description],
            [texts.reference, reference],
            [
              texts.paid,
              maxPayments === null ? texts.paidCount(paymentsCount) : texts.paidOf(paymentsCount, maxPayments),
            ],
            ['', <a href={`${address('payments')}?link=${id}`}>{texts.payments}</a>],
            [texts.window, texts.minutes(link.windowMinutes)],
            [texts.closes, link.expiresAt === null ? texts.never : <Moment at={link.expiresAt} />],
            [texts.successUrl, link.successUrl],
            [texts.created, <Moment at={link.createdAt} />],
            [texts.states.deactivated, link.deactivatedAt !== null && <Moment at={link.deactivatedAt} />],
            ...Object.entries(link.metadata).map(([key, value]) => [<code>{key}</code>, value] as const),
          ]}
        />
      </Section>
    </div>
  )
}

const Deactivate = ({ link: { id, status } }: { readonly link: PaymentLink }) => {
  const texts = useLinksTexts()
  const canWrite = useCanWrite()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const [isOpen, setOpen] = useState(false)
  if (!canWrite || status !== 'active') return null
  return (
    <>
      <button type="button" class="button button--danger" onClick={() => setOpen(true)}>
        {texts.deactivate}
      </button>
      <Confirm
        open={isOpen}
        title={texts.deactivateTitle}
        no={texts.keep}
        yes={texts.deactivate}
        danger
        onClose={() => setOpen(false)}
        onYes={async () => {
          try {
            await session.call('deactivatePaymentLink', { merchantId, id })
            showToast(texts.deactivated)
          } finally {
            await refresh('links')
          }
        }}
      >
        {texts.deactivateWhat}
      </Confirm>
    </>
  )
}

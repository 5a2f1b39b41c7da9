import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import type { CustomerWithTotals } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { Badge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { RecordEvents } from '../events/record-events.tsx'
import { CustomerInvoices } from '../invoices/customer-invoices.tsx'
import { AddressLines } from '../postal-address/address-lines.tsx'
import { usePostalAddressTexts } from '../postal-address/texts.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Facts, RecordJson, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite, useIsOwner } from '../shell/shop.ts'
import { CustomerClock } from '../subscriptions/customer-clock.tsx'
import { LatestSubscriptions } from '../subscriptions/latest-subscriptions.tsx'
import { Credit } from './credit.tsx'
import { CustomerChart } from './customer-chart.tsx'
import { nameOfCustomer } from './customer-name.ts'
import { CustomerPayments } from './customer-payments.tsx'
import { EraseDialog } from './erase-dialog.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { MergedNote } from './merged-note.tsx'
import { useCustomersTexts } from './texts.ts'
import { Totals } from './totals.tsx'
import { useCustomer } from './use-customer.ts'

export const CustomerPage = () => {
  const { id = '' } = useRoute().params
  const texts = useCustomersTexts()
  const address = useAddress()
  const result = useCustomer(id)
  const customer = result.data
  return (
    <>
      <PageHead
        title={customer ? (customer.erasedAt === null ? nameOfCustomer(customer) : texts.erase.erasedOne) : texts.one}
        back={{ href: address('customers'), label: texts.title }}
        lead={customer ? <Subtitle customer={customer} /> : <ShortHex value={id} what={texts.id} />}
        actions={customer && isActive(customer) && <CustomerActions customer={customer} />}
      />
      <OwnersNote />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {found => (
          <>
            {found.mergedIntoId !== null && <MergedNote intoId={found.mergedIntoId} />}
            {found.erasedAt !== null && <ErasedNote at={found.erasedAt} />}
            <OneCustomer customer={found} />
          </>
        )}
      </Result>
    </>
  )
}

const isActive = ({ mergedIntoId, erasedAt }: CustomerWithTotals): boolean => mergedIntoId === null && erasedAt === null

const ErasedNote = ({ at }: { readonly at: string }) => {
  const { erase: texts } = useCustomersTexts()
  const { formats } = useReader()
  return <NoteBox title={texts.erasedAt(formats.exact(at))}>{texts.erasedNote}</NoteBox>
}

type CustomerProps = { readonly customer: CustomerWithTotals }

const Subtitle = ({ customer }: CustomerProps) => {
  const texts = useCustomersTexts()
  const { id, email, company, name, mergedIntoId, erasedAt } = customer
  return (
    <span class="sub">
      {mergedIntoId !== null && <Badge shape="over">{texts.merged}</Badge>}
      {name !== null && company !== null && <span>{company}</span>}
      {erasedAt === null && <a href={`mailto:${email}`}>{email}</a>}
      <ShortHex value={id} what={texts.id} />
    </span>
  )
}

const CustomerActions = ({ customer }: CustomerProps) => {
  const texts = useCustomersTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const isOwner = useIsOwner()
  const [isMerging, setMerging] = useState(false)
  const [isErasing, setErasing] = useState(false)
  return (
    <>
      {isOwner && (
        <>
          <button type="button" class="button button--danger" onClick={() => setErasing(true)}>
            {texts.erase.button}
          </button>
          <button type="button" class="button" onClick={() => setMerging(true)}>
            {texts.merge.button}
          </button>
        </>
      )}
      {canWrite && (
        <a class="button button--primary" href={address('customers', customer.id, 'edit')}>
          {texts.edit}
        </a>
      )}
      {isMerging && <MergeDialog customer={customer} onClose={() => setMerging(false)} />}
      {isErasing && <EraseDialog customer={customer} onClose={() => setErasing(false)} />}
    </>
  )
}

const OneCustomer = ({ customer }: CustomerProps) => {
  const isMerged = customer.mergedIntoId !== null
  return (
    <>
      {customer.testClockId !== null && <CustomerClock id={customer.id} testClockId={customer.testClockId} />}
      {/* Too wide to stand beside the details. */}
      {!isMerged && <Totals customer={customer} />}
      <div class="split split--ended">
        <div>
          {!isMerged && (
            <>
              {customer.totals.length > 0 && <CustomerChart customer={customer} />}
              <LatestSubscriptions of="customer" id={customer.id} isActive={isActive(customer)} />
              <CustomerInvoices id={customer.id} isActive={isActive(customer)} />
              <CustomerPayments id={customer.id} />
              <Credit customer={customer} />
            </>
          )}
        </div>
        <Details customer={customer} />
        <div>
          <RecordEvents id={customer.id} />
          <RecordJson record={customer} />
        </div>
      </div>
    </>
  )
}

const Details = ({ customer }: CustomerProps) => {
  const texts = useCustomersTexts()
  const { title: addressTitle } = usePostalAddressTexts()
  const { id, email, aliases, name, company, taxId, address, locale, reference, source, createdAt, metadata } = customer
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
          [texts.email, customer.erasedAt === null && email],
          [texts.aliases, aliases.length > 0 && aliases.map(alias => <div key={alias}>{alias}</div>)],
          [texts.name, name],
          [texts.company, company],
          [texts.taxId, taxId],
          [addressTitle, address !== null && <AddressLines address={address} />],
          [texts.locale, locale === 'en' || locale === 'de' ? texts.languages[locale] : locale],
          [texts.reference, reference],
          [texts.source, texts.sources[source]],
          [texts.since, <Moment at={createdAt} />],
          ...Object.entries(metadata).map(([key, value]) => [<code>{key}</code>, value] as const),
        ]}
      />
    </Section>
  )
}

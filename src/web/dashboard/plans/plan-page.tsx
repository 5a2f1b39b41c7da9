import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import type { Plan } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { Badge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { LinkQr } from '../links/link-qr.tsx'
import { ShareAddress } from '../links/share-address.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Facts, RecordJson, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { LatestSubscriptions } from '../subscriptions/latest-subscriptions.tsx'
import { ArchivePlan } from './archive-plan.tsx'
import { EditPlan } from './edit-plan.tsx'
import { planLooks } from './plan-state.ts'
import { PriceTable } from './price-table.tsx'
import { TermsSentences } from './terms-sentences.tsx'
import { usePlansTexts } from './texts.ts'
import { usePlan } from './use-plan.ts'

export const PlanPage = () => {
  const { id = '' } = useRoute().params
  const texts = usePlansTexts()
  const address = useAddress()
  const result = usePlan(id)
  const plan = result.data
  return (
    <>
      <PageHead
        title={plan?.name ?? texts.one}
        back={{ href: address('plans'), label: texts.title }}
        heading={<Heading plan={plan} />}
        lead={
          <span class="sub">
            {plan && <Badge {...planLooks[plan.status]}>{texts.states[plan.status]}</Badge>}
            {plan && <b>{plan.name}</b>}
            <ShortHex value={id} what={texts.id} />
          </span>
        }
        actions={plan && <PlanActions plan={plan} />}
      />
      <OwnersNote />
      <Result result={result} skeleton={<SkeletonRows rows={8} />}>
        {found => <OnePlan plan={found} />}
      </Result>
    </>
  )
}

type PlanProps = { readonly plan: Plan }

const Heading = ({ plan }: { readonly plan: Plan | undefined }) => {
  const texts = usePlansTexts()
  const { formats } = useReader()
  if (!plan) return <span class="amount">…</span>
  return (
    <>
      <span class="sr">{plan.name}</span>{' '}
      <span class="amount">
        {formats.money(plan.amountMinor, plan.currency)}
        <small> {texts.per[plan.interval](plan.intervalCount)}</small>
      </span>
    </>
  )
}

const PlanActions = ({ plan }: PlanProps) => {
  const texts = usePlansTexts()
  const canWrite = useCanWrite()
  const [open, setOpen] = useState<'edit' | 'archive'>()
  if (!canWrite) return null
  const close = () => setOpen(undefined)
  return (
    <>
      {plan.status === 'active' && (
        <button type="button" class="button button--danger" onClick={() => setOpen('archive')}>
          {texts.archive.button}
        </button>
      )}
      <button type="button" class="button" onClick={() => setOpen('edit')}>
        {texts.edit.button}
      </button>
      {open === 'archive' && <ArchivePlan plan={plan} onClose={close} />}
      {open === 'edit' && <EditPlan plan={plan} onClose={close} />}
    </>
  )
}

const OnePlan = ({ plan }: PlanProps) => {
  const texts = usePlansTexts()
  const { formats } = useReader()
  const { id, description, reference, subscriptionsCount, createdAt, metadata } = plan
  const isActive = plan.status === 'active'
  return (
    <div class="split split--ended">
      <div>
        <Section title={texts.share}>
          <p class="quiet">{isActive ? texts.shareWhat : texts.shareArchived}</p>
          {isActive && (
            <ShareAddress url={plan.url} open={texts.open}>
              <LinkQr link={plan} />
            </ShareAddress>
          )}
        </Section>
        <PriceTable price={plan} />
        <LatestSubscriptions of="plan" id={id} isActive={isActive} />
      </div>
      <div>
        <Section title={texts.terms}>
          <TermsSentences terms={plan} />
        </Section>
        <Section title={texts.details}>
          <Facts
            facts={[
              [texts.description, description],
              [texts.reference, reference],
              [texts.subscriptions, texts.activeCount(formats.count(subscriptionsCount))],
              [
                texts.id,
                <>
                  <code>{id}</code> <CopyButton value={id} what={texts.id} />
                </>,
              ],
              [texts.created, <Moment at={createdAt} />],
              ...Object.entries(metadata).map(([key, value]) => [<code>{key}</code>, value] as const),
            ]}
          />
        </Section>
      </div>
      <RecordJson record={plan} />
    </div>
  )
}

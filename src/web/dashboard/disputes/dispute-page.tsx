import { useRoute } from 'preact-iso'
import type { Dispute } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateBadge, StateStrip } from '../../parts/state-strip.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Facts, RecordJson, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { Timeline } from '../shell/timeline.tsx'
import { disputePath } from './dispute-state.ts'
import { EvidenceForm } from './evidence-form.tsx'
import { Outcomes } from './outcomes.tsx'
import { useDisputeTexts } from './texts.ts'

export const DisputePage = () => {
  const { id = '' } = useRoute().params
  const texts = useDisputeTexts()
  const { formats } = useReader()
  const address = useAddress()
  const result = useShopQuery(['disputes', 'one', id], ({ merchantId, call }, signal) =>
    call('getDispute', { merchantId, id }, { signal }),
  ).value
  const dispute = result.data
  const amount = dispute && formats.money(dispute.amountMinor, dispute.currency)
  return (
    <>
      <PageHead
        title={texts.disputeTitle(amount ?? id)}
        back={{ href: address('disputes'), label: texts.title }}
        heading={
          <>
            <span class="sr">{texts.disputeTitle('')}</span> <span class="amount">{amount ?? '…'}</span>
          </>
        }
        lead={
          <span class="sub">
            {dispute && <StateBadge path={disputePath(dispute, texts)} />}
            {dispute && <span>{texts.reasons[dispute.reason]}</span>}
            <ShortHex value={id} what={texts.id} />
          </span>
        }
      />
      <OwnersNote />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {found => <OneDispute key={found.id} dispute={found} />}
      </Result>
    </>
  )
}

type DisputeProps = { readonly dispute: Dispute }

const OneDispute = ({ dispute }: DisputeProps) => {
  const texts = useDisputeTexts()
  const { formats, now } = useReader()
  const canWrite = useCanWrite()
  const { id, status, evidenceDueBy, createdAt, updatedAt } = dispute
  const path = disputePath(dispute, texts)
  const notes = [
    status === 'needs_response'
      ? texts.dueBy(formats.listed(evidenceDueBy, now.value))
      : formats.listed(createdAt, now.value),
    status === 'under_review' && formats.listed(updatedAt, now.value),
    path.at === 2 && formats.listed(updatedAt, now.value),
  ]
  return (
    <>
      <div class="band">
        <StateStrip label={texts.state} path={path} notes={notes} />
      </div>
      <div class="decision">
        {status === 'won' && (
          <NoteBox title={texts.wonTitle} tone="good">
            {texts.wonWhat}
          </NoteBox>
        )}
        {status === 'lost' && (
          <NoteBox title={texts.lostTitle} tone="bad">
            {texts.lostWhat}
          </NoteBox>
        )}
        {canWrite && <Outcomes dispute={dispute} />}
      </div>
      <div class="split">
        <div>
          {canWrite && status === 'needs_response' ? (
            <EvidenceForm dispute={dispute} />
          ) : (
            <GivenEvidence dispute={dispute} />
          )}
          <Timeline
            section="disputes"
            id={id}
            call="listDisputeHistory"
            opened={texts.opened}
            events={texts.events}
            shapeOf={({ to }) => (to === 'won' ? 'done' : to === 'lost' ? 'bad' : undefined)}
          />
          <RecordJson record={dispute} />
        </div>
        <Details dispute={dispute} />
      </div>
    </>
  )
}

/** Submitted, or seen by someone who may not change it. */
const GivenEvidence = ({ dispute: { evidence } }: DisputeProps) => {
  const texts = useDisputeTexts()
  const names = ['uncategorizedText', 'customerCommunication', 'shippingTrackingNumber', 'refundPolicy'] as const
  return (
    <Section title={texts.evidence}>
      <Facts
        facts={names.map(name => [texts.fields[name], evidence[name] ?? <span class="quiet">{texts.notGiven}</span>])}
      />
    </Section>
  )
}

const Details = ({ dispute }: DisputeProps) => {
  const texts = useDisputeTexts()
  const address = useAddress()
  const { id, paymentId, status, outcome, evidenceDueBy, createdAt } = dispute
  return (
    <Section title={texts.details}>
      <Facts
        facts={[
          [texts.payment, <a href={address('payments', paymentId)}>{texts.openPayment}</a>],
          [texts.due, <Moment at={evidenceDueBy} />],
          [texts.outcome, outcome !== null && texts.states[outcome]],
          [
            texts.id,
            <>
              <code>{id}</code> <CopyButton value={id} what={texts.id} />
            </>,
          ],
          [texts.statusInApi, <code>{status}</code>],
          [texts.created, <Moment at={createdAt} />],
        ]}
      />
    </Section>
  )
}

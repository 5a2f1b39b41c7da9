import { useState } from 'preact/hooks'
import type { Dispute } from '../../api/calls.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { FormField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { Confirm } from '../shell/confirm.tsx'
import { shownFailure } from '../shell/failure.ts'
import { useRefresh } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { useScope, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { useDisputeTexts } from './texts.ts'

const MOST = 2_000

const names = ['uncategorizedText', 'customerCommunication', 'shippingTrackingNumber', 'refundPolicy'] as const

type Evidence = Readonly<Record<(typeof names)[number], string>>

const textsOf = ({ evidence }: Dispute): Evidence => ({
  uncategorizedText: evidence.uncategorizedText ?? '',
  customerCommunication: evidence.customerCommunication ?? '',
  shippingTrackingNumber: evidence.shippingTrackingNumber ?? '',
  refundPolicy: evidence.refundPolicy ?? '',
})

/** The answer to a dispute: saved as often as needed, and submitted once. */
export const EvidenceForm = ({ dispute }: { readonly dispute: Dispute }) => {
  const texts = useDisputeTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [draft, setDraft] = useState(() => textsOf(dispute))
  const [isAsked, setAsked] = useState(false)
  const { id, evidenceDueBy } = dispute
  // As the server counts: characters, of which some have two code units.
  const lengthOf = (text: string) => [...text].length
  const isTooLong = names.some(name => lengthOf(draft[name]) > MOST)
  const send = async (submit: boolean) => {
    try {
      await session.call('giveEvidence', { merchantId, id, ...draft, submit })
      showToast(submit ? texts.submitted : texts.saved)
    } finally {
      await refresh('disputes')
    }
  }
  return (
    <Section title={texts.evidence} aside={texts.evidenceDue(formats.exact(evidenceDueBy))}>
      <form
        class="form"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          if (!isTooLong) void action.run(() => send(false))
        }}
      >
        <p class="quiet">{texts.evidenceWhat}</p>
        {names.map(name => (
          <FormField
            key={name}
            label={texts.fields[name]}
            optional
            hint={`${texts.hints[name]} ${texts.count(lengthOf(draft[name]), MOST)}`}
            error={lengthOf(draft[name]) > MOST ? texts.tooLong(MOST) : undefined}
          >
            {props => (
              <textarea
                class="input"
                rows={name === 'shippingTrackingNumber' ? 1 : 4}
                {...props}
                value={draft[name]}
                onInput={event => setDraft({ ...draft, [name]: event.currentTarget.value })}
              />
            )}
          </FormField>
        ))}
        {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
        <div class="buttons">
          <button type="button" class="button" aria-disabled={isTooLong} onClick={() => !isTooLong && setAsked(true)}>
            {texts.submit}
          </button>
          <Submit action={action}>{texts.save}</Submit>
        </div>
      </form>
      <Confirm
        open={isAsked}
        title={texts.submitTitle}
        no={texts.back}
        yes={texts.submit}
        onClose={() => setAsked(false)}
        onYes={() => send(true)}
      >
        {texts.submitWhat}
      </Confirm>
    </Section>
  )
}

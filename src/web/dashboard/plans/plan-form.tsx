import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { BillingSettings } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { type InvoiceDraft, sumDraft } from '../invoices/invoice-draft.ts'
import { PriceFields } from '../invoices/price-fields.tsx'
import { useAction } from '../shell/action.ts'
import { refusedField, shownFailure } from '../shell/failure.ts'
import { focusWrong } from '../shell/focus-wrong.ts'
import { LeaveGuard } from '../shell/leave-guard.tsx'
import { useRefresh } from '../shell/queries.ts'
import { ReferenceField } from '../shell/reference-field.tsx'
import { useAddress, useScope, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { NameFields, PlanMetadata } from './name-fields.tsx'
import { priceWords } from './price.ts'
import {
  hasTermsFaults,
  newPlanDraft,
  type PlanDraft,
  planBodyOf,
  planFaultsIn,
  termsBodyOf,
  termsFaultsIn,
} from './terms-draft.ts'
import { MoreTermsFields, ScheduleFields } from './terms-fields.tsx'
import { TermsSentences } from './terms-sentences.tsx'
import { usePlansTexts } from './texts.ts'

/** The form of a new plan, beside what its customers agree to. */
export const PlanForm = ({ settings }: { readonly settings: BillingSettings }) => {
  const texts = usePlansTexts()
  const { form: words } = texts
  const { formats } = useReader()
  const { route } = useLocation()
  const address = useAddress()
  const { session } = useShop()
  const scope = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const form = useRef<HTMLFormElement>(null)
  const [fresh] = useState(() => newPlanDraft(settings))
  const [draft, setDraft] = useState(fresh)
  const [isChecked, setChecked] = useState(false)
  // The same key for every attempt of this form: a lost response does not make a second plan.
  const [idempotencyKey] = useState(newIdempotencyKey)
  const edit = useCallback((edits: Partial<PlanDraft>) => setDraft(now => ({ ...now, ...edits })), [])
  const onLines = useCallback(
    (update: (lines: InvoiceDraft['lines']) => InvoiceDraft['lines']) =>
      setDraft(now => ({ ...now, lines: update(now.lines) })),
    [],
  )
  const summed = useMemo(() => sumDraft(draft), [draft.lines, draft.taxBehavior])
  const [termsFaults, planFaults] = [termsFaultsIn(draft), planFaultsIn(draft)]
  const isWrong = hasTermsFaults(termsFaults) || planFaults.name || planFaults.metadata.some(Boolean) || !summed.ok
  const { error } = action
  const refused = refusedField(error)
  const takenBy =
    error instanceof ApiError && error.code === 'duplicate_reference' ? String(error.details.planId) : undefined
  const isAtField = takenBy !== undefined || fields.includes(refused?.split('.')[0] ?? '')
  const price = { ...termsBodyOf(draft), amountMinor: summed.ok ? summed.sums.totalMinor : 0 }

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setChecked(true)
    const isDone =
      !isWrong &&
      (await action.run(async () => {
        const plan = await session.call('createPlan', { ...scope, idempotencyKey, ...planBodyOf(draft) })
        await refresh('plans')
        showToast(words.done)
        route(address('plans', plan.id))
      }))
    // The field may be far above, or in the part that is folded.
    if (!isDone) requestAnimationFrame(() => focusWrong(form.current))
  }
  const isMoreWrong =
    (isChecked && (termsFaults.leadDays || termsFaults.maxPeriods || termsFaults.assets)) ||
    (isChecked && planFaults.metadata.some(Boolean)) ||
    takenBy !== undefined ||
    ['leadDays', 'maxPeriods', 'assets', 'reference', 'metadata'].includes(refused?.split('.')[0] ?? '')
  const shared = { draft, onEdit: edit, refused }
  const terms = { ...shared, faults: isChecked ? termsFaults : undefined }
  const named = { ...shared, faults: isChecked ? planFaults : undefined }
  return (
    <>
      <LeaveGuard when={draft !== fresh && !action.isRunning} />
      <div class="beside">
        <form ref={form} class="form form--wide" onSubmit={submit} noValidate>
          <NameFields {...named} />
          <PriceFields
            {...shared}
            onLines={onLines}
            summed={summed}
            settings={settings}
            isChecked={isChecked}
            isRepeated
          />
          <ScheduleFields {...terms} />
          <details class="more" open={isMoreWrong}>
            <summary>{words.more}</summary>
            <div class="form form--wide">
              <MoreTermsFields {...terms} />
              <ReferenceField
                label={texts.reference}
                hint={words.referenceHint}
                value={draft.reference}
                onReference={reference => edit({ reference })}
                error={takenBy === undefined ? undefined : words.referenceTaken(draft.reference)}
              />
              {takenBy !== undefined && (
                <p>
                  <a href={address('plans', takenBy)}>{words.usedBy}</a>
                </p>
              )}
              <PlanMetadata {...named} />
            </div>
          </details>
          {error !== undefined && !isAtField && <ErrorNote failure={shownFailure(error)} />}
          <div class="buttons">
            <Submit action={action}>
              {price.amountMinor > 0 ? words.submit(priceWords(price, texts, formats)) : words.submitUnpriced}
            </Submit>
            <a class="button button--bare" href={address('plans')}>
              {words.cancel}
            </a>
          </div>
        </form>
        <figure class="preview">
          <figcaption>{words.summary}</figcaption>
          <div class="preview__sheet">
            <b>{draft.name.trim() || words.summaryName}</b>
            <TermsSentences terms={price} />
          </div>
        </figure>
      </div>
    </>
  )
}

const fields: readonly string[] = [
  ...['name', 'description', 'currency', 'lines', 'intervalCount', 'trialDays', 'leadDays', 'graceDays', 'maxPeriods'],
  ...['assets', 'metadata'],
]

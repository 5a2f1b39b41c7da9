import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { BillingSettings, Plan } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { TextField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { MetadataFields } from '../customers/metadata-fields.tsx'
import { useCustomersTexts } from '../customers/texts.ts'
import { CustomerChoice } from '../invoices/customer-choice.tsx'
import { useInvoiceEditorTexts } from '../invoices/editor-texts.ts'
import { type InvoiceDraft, sumDraft } from '../invoices/invoice-draft.ts'
import { DayField } from '../invoices/line-fields.tsx'
import { PriceFields } from '../invoices/price-fields.tsx'
import { priceWords } from '../plans/price.ts'
import { type TermsDraft, termsBodyOf } from '../plans/terms-draft.ts'
import { MoreTermsFields, ScheduleFields } from '../plans/terms-fields.tsx'
import { TermsSentences } from '../plans/terms-sentences.tsx'
import { usePlansTexts } from '../plans/texts.ts'
import { useAction } from '../shell/action.ts'
import { refusedField, shownFailure } from '../shell/failure.ts'
import { focusWrong } from '../shell/focus-wrong.ts'
import { LeaveGuard } from '../shell/leave-guard.tsx'
import { useRefresh } from '../shell/queries.ts'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { ReferenceField } from '../shell/reference-field.tsx'
import { useAddress, useScope, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { useTestClocksTexts } from '../test-clocks/texts.ts'
import { ChoosePlan } from './choose-plan.tsx'
import {
  hasSubscriptionFaults,
  newSubscriptionDraft,
  type SubscriptionDraft,
  startOf,
  subscriptionBodyOf,
  subscriptionFaultsIn,
} from './subscription-draft.ts'
import { useSubscriptionsTexts } from './texts.ts'

type SubscriptionFormProps = {
  readonly settings: BillingSettings
  /** Those that are chosen at first. */
  readonly customerId: string | undefined
  readonly plan: Plan | undefined
}

type Lines = InvoiceDraft['lines']

/** The form of a new subscription, beside what is agreed. */
export const SubscriptionForm = ({ settings, customerId, plan: planned }: SubscriptionFormProps) => {
  const texts = useSubscriptionsTexts()
  const { form: words } = texts
  const plansTexts = usePlansTexts()
  const { refused: refusedWords } = useInvoiceEditorTexts()
  const { metadataRefused } = useCustomersTexts()
  const clocks = useTestClocksTexts()
  const { formats } = useReader()
  const { route } = useLocation()
  const address = useAddress()
  const { session } = useShop()
  const scope = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const form = useRef<HTMLFormElement>(null)
  const [fresh] = useState(() => newSubscriptionDraft(settings, customerId))
  const [draft, setDraft] = useState(fresh)
  const [isChecked, setChecked] = useState(false)
  const [hasClock, setHasClock] = useState(false)
  const clock = useRef<string>(undefined)
  // The same key for every attempt of this form: a lost response does not make a second subscription.
  const [idempotencyKey] = useState(newIdempotencyKey)
  const edit = (edits: Partial<SubscriptionDraft>) => setDraft(now => ({ ...now, ...edits }))
  const editTerms = (edits: Partial<TermsDraft>) => setDraft(now => ({ ...now, terms: { ...now.terms, ...edits } }))
  const onLines = useCallback(
    (update: (lines: Lines) => Lines) =>
      setDraft(now => ({ ...now, terms: { ...now.terms, lines: update(now.terms.lines) } })),
    [],
  )
  const [found, setFound] = useState(planned)
  const plan = draft.priceBy === 'plan' ? found : undefined
  const { terms } = draft
  const summed = useMemo(() => sumDraft(terms), [terms.lines, terms.taxBehavior])
  const faults = subscriptionFaultsIn(draft, plan)
  const isWrong = hasSubscriptionFaults(faults) || (draft.priceBy === 'own' && !summed.ok)
  const { start, trialDays } = startOf(draft, plan)
  const { error } = action
  const { code, status, param } = error instanceof ApiError ? error : { code: '', status: -1, param: undefined }
  const refused = refusedField(error)
  const isPlanGone = code === 'plan_archived' || (code === 'resource_not_found' && param === 'planId')
  const isErased = code === 'customer_erased'
  // The customer of the e-mail address exists, and has another clock or none.
  const isClockRefused = code === 'state_conflict' && param === 'testClockId'
  const isAtField = isPlanGone || isErased || isClockRefused || fields.includes(refused?.split('.')[0] ?? '')
  const own = { ...termsBodyOf(terms), amountMinor: summed.ok ? summed.sums.totalMinor : 0 }
  const price = draft.priceBy === 'own' ? own : plan

  /** One clock for all attempts: the request stays the same. */
  const withClock = async (): Promise<{ readonly testClockId?: string }> => {
    if (scope.livemode || draft.customer.by !== 'email' || !hasClock) return {}
    clock.current ??= (await session.call('createTestClock', { merchantId: scope.merchantId })).id
    return { testClockId: clock.current }
  }

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setChecked(true)
    const isDone =
      !isWrong &&
      (await action.run(async () => {
        const body = { ...subscriptionBodyOf(draft, plan), ...(await withClock()) }
        const created = await session.call('createSubscription', { ...scope, idempotencyKey, ...body })
        await refresh('subscriptions')
        void refresh('plans')
        showToast(words.done)
        route(address('subscriptions', created.id))
      }))
    // The field may be far above, or in the part that is folded.
    if (!isDone) requestAnimationFrame(() => focusWrong(form.current))
  }
  const shared = {
    ...{ draft: terms, onEdit: editTerms, refused },
    faults: isChecked ? faults.terms : undefined,
  }
  const isMoreWrong =
    (isChecked && faults.metadata.some(Boolean)) || ['reference', 'metadata'].includes(refused?.split('.')[0] ?? '')
  return (
    <>
      <LeaveGuard when={(draft !== fresh || found !== planned) && !action.isRunning} />
      <div class="beside">
        <form ref={form} class="form form--wide" onSubmit={submit} noValidate>
          <CustomerChoice
            customer={draft.customer}
            onCustomer={customer => edit({ customer })}
            faults={isChecked ? faults : undefined}
            refused={refused}
            isErased={isErased}
          />
          {!scope.livemode && draft.customer.by === 'email' && (
            <label class="check">
              <input
                type="checkbox"
                name="hasClock"
                aria-invalid={isClockRefused}
                aria-describedby={isClockRefused ? 'clock-refused' : undefined}
                checked={hasClock}
                onInput={event => setHasClock(event.currentTarget.checked)}
              />
              <span>
                {clocks.create}
                <span>{clocks.createWhat}</span>
              </span>
            </label>
          )}
          {isClockRefused && (
            <p class="field" role="alert" id="clock-refused">
              <span class="error">{clocks.createRefused}</span>
            </p>
          )}
          <RadioChoice
            legend={words.price}
            name="priceBy"
            values={['plan', 'own'] as const}
            words={words.priceBy}
            about={words.priceByWhat}
            value={draft.priceBy}
            onValue={priceBy => edit({ priceBy })}
          />
          {draft.priceBy === 'plan' ? (
            <ChoosePlan
              plan={found}
              onPlan={setFound}
              error={
                isPlanGone
                  ? words.planGone
                  : isChecked && faults.planId
                    ? words.planEmpty
                    : refused === 'planId'
                      ? refusedWords
                      : undefined
              }
            />
          ) : (
            <>
              <PriceFields
                {...shared}
                onLines={onLines}
                summed={summed}
                settings={settings}
                isChecked={isChecked}
                isRepeated
              />
              <ScheduleFields {...shared} hasTrial={false} />
              <MoreTermsFields {...shared} />
            </>
          )}
          <RadioChoice
            legend={words.start}
            name="start"
            values={['now', 'trial', 'day'] as const}
            words={words.starts}
            about={words.startsWhat}
            value={start}
            onValue={value => edit({ start: value })}
          />
          {start === 'trial' && (
            <TextField
              label={words.trialDays}
              name="trialDays"
              inputMode="numeric"
              autocomplete="off"
              maxLength={3}
              value={draft.trialDays ?? String(trialDays)}
              onInput={event => edit({ trialDays: event.currentTarget.value })}
              error={
                isChecked && faults.trialDays ? words.trialWrong : refused === 'trialDays' ? refusedWords : undefined
              }
            />
          )}
          {start === 'day' && (
            <DayField
              label={words.day}
              optional={false}
              name="day"
              value={draft.day}
              onInput={event => edit({ day: event.currentTarget.value })}
              error={isChecked && faults.day ? words.dayWrong : refused === 'anchorAt' ? words.dayRefused : undefined}
            />
          )}
          <details class="more" open={isMoreWrong}>
            <summary>{words.more}</summary>
            <div class="form form--wide">
              <ReferenceField
                label={texts.reference}
                hint={words.referenceHint}
                value={draft.reference}
                onReference={reference => edit({ reference })}
                error={refused === 'reference' ? refusedWords : undefined}
              />
              <MetadataFields
                entries={draft.metadata}
                onEntries={metadata => edit({ metadata })}
                faults={isChecked ? faults.metadata : []}
                refused={refused?.split('.')[0] === 'metadata' ? metadataRefused : undefined}
              />
            </div>
          </details>
          {error !== undefined && !isAtField && (
            <ErrorNote failure={shownFailure(error)}>{status === 0 ? words.unknownOutcome : undefined}</ErrorNote>
          )}
          <div class="buttons">
            <Submit action={action}>
              {price && price.amountMinor > 0
                ? words.submit(priceWords(price, plansTexts, formats))
                : words.submitUnpriced}
            </Submit>
            <a class="button button--bare" href={address('subscriptions')}>
              {words.cancel}
            </a>
          </div>
        </form>
        <figure class="preview">
          <figcaption>{words.summary}</figcaption>
          <div class="preview__sheet">
            <b>{plan?.name ?? (draft.priceBy === 'own' ? texts.noPlan : texts.plan)}</b>
            {price ? (
              <TermsSentences terms={{ ...price, trialDays: start === 'trial' ? trialDays : 0 }} />
            ) : (
              <p class="quiet">{words.choose}</p>
            )}
            {start === 'day' && draft.day !== '' && <p>{words.begins.day(formats.day(draft.day))}</p>}
          </div>
        </figure>
      </div>
    </>
  )
}

const fields: readonly string[] = [
  ...['customer', 'customerId', 'planId', 'currency', 'lines', 'intervalCount', 'leadDays', 'graceDays', 'maxPeriods'],
  ...['assets', 'trialDays', 'anchorAt', 'reference', 'metadata'],
]

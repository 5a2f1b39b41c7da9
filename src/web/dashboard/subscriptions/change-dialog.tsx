import { useCallback, useMemo, useState } from 'preact/hooks'
import type { BillingSettings, Plan } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { showToast } from '../../parts/toast.tsx'
import { hasLineFaults, type InvoiceDraft, lineDraftOf, soldLineBody, sumDraft } from '../invoices/invoice-draft.ts'
import { LinesFieldset } from '../invoices/lines-fieldset.tsx'
import { useFoundPlans } from '../plans/find-plan.tsx'
import { useAction } from '../shell/action.ts'
import { refusedField } from '../shell/failure.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { Result } from '../shell/result.tsx'
import { useBillingSettings } from '../shell/use-billing-settings.ts'
import { ClockTime } from '../test-clocks/clock-time.tsx'
import type { ActionDialogProps } from './action-props.ts'
import { ChoosePlan } from './choose-plan.tsx'
import { nextPeriodIndex, nextStepOf, periodIndexOf } from './next-step.ts'
import { useSubscriptionsTexts } from './texts.ts'
import { unpaidOf } from './unpaid.ts'
import { useSubscriptionCall } from './use-subscription-call.ts'

/** Changes what the next periods cost, and says from when, how much, and which invoice is voided. */
export const ChangeDialog = (props: ActionDialogProps) => (
  <Result result={useBillingSettings()} skeleton={<SkeletonRows rows={1} />}>
    {settings => <PriceDialog {...props} settings={settings} />}
  </Result>
)

type Lines = InvoiceDraft['lines']

const PriceDialog = ({
  subscription,
  invoices,
  onClose,
  settings,
}: ActionDialogProps & { readonly settings: BillingSettings }) => {
  const { change: texts, form } = useSubscriptionsTexts()
  const { formats } = useReader()
  const action = useAction()
  const { act, renewKey } = useSubscriptionCall(subscription.id)
  const { currency, taxBehavior, interval, intervalCount, planId: presentId, amountMinor } = subscription
  const fits = (each: Plan) =>
    each.currency === currency &&
    each.interval === interval &&
    each.intervalCount === intervalCount &&
    each.id !== presentId
  const { data: plans } = useFoundPlans('', 'active')
  const hasNone = plans?.has_more === false && !plans.data.some(fits)
  const [chosen, setChosen] = useState<'plan' | 'own'>()
  const by = chosen ?? (hasNone ? 'own' : 'plan')
  const [plan, setPlan] = useState<Plan>()
  const [lines, setLines] = useState<Lines>(() =>
    subscription.lines.map((line, at) => lineDraftOf({ ...line, periodStart: null, periodEnd: null }, at)),
  )
  const [isChecked, setChecked] = useState(false)
  const onLines = useCallback((update: (lines: Lines) => Lines) => {
    setLines(update)
    renewKey()
  }, [])
  const summed = useMemo(() => sumDraft({ lines, taxBehavior }), [lines])
  const after = by === 'plan' ? plan?.amountMinor : summed.ok ? summed.sums.totalMinor : undefined
  const money = (minor: number) => formats.money(minor, currency)
  const voided = unpaidOf(invoices).filter(each => (periodIndexOf(each) ?? 0) >= nextPeriodIndex(subscription))
  // A period that is paid, or is being paid, keeps its price: it is over when the subscription would be.
  const start = nextStepOf({ ...subscription, cancelAtPeriodEnd: true }, invoices)
  const refused = refusedField(action.error)
  const submit = async () => {
    setChecked(true)
    if (after === undefined || (by === 'own' && hasLineFaults(lines))) return
    const price = by === 'plan' && plan ? { planId: plan.id } : { lines: lines.map(soldLineBody) }
    const isDone = await action.run(() => act((call, input) => call('changeSubscription', { ...input, ...price })))
    if (!isDone) return
    showToast(texts.done)
    onClose()
  }
  return (
    <FormDialog
      open
      wide
      title={texts.title}
      no={texts.no}
      yes={after === undefined ? texts.yesUnpriced : texts.yes(money(after))}
      action={action}
      isAtField={refused?.startsWith('lines.') === true}
      onSubmit={submit}
      onClose={onClose}
    >
      <RadioChoice
        legend={form.price}
        name="changeBy"
        values={['plan', 'own'] as const}
        words={texts.by}
        about={texts.byWhat}
        value={by}
        onValue={value => {
          setChosen(value)
          renewKey()
        }}
      />
      {by === 'own' ? (
        <LinesFieldset
          lines={lines}
          currency={currency}
          summed={summed}
          settings={settings}
          isChecked={isChecked}
          refused={refused}
          onLines={onLines}
          isRepeated
        />
      ) : hasNone ? (
        <p class="quiet">{texts.none}</p>
      ) : (
        <ChoosePlan
          fits={fits}
          plan={plan}
          onPlan={found => {
            setPlan(found)
            renewKey()
          }}
          error={isChecked && !plan ? form.planEmpty : undefined}
        />
      )}
      {after !== undefined && 'at' in start && (
        <p>{texts.what(formats.date(start.at), money(after), money(amountMinor))}</p>
      )}
      {after !== undefined && voided.map(invoice => <p key={invoice.id}>{texts.voids(money(invoice.totalMinor))}</p>)}
      <ClockTime testClockId={subscription.testClockId} />
    </FormDialog>
  )
}

import type { Plan } from '../../api/calls.ts'
import { FormField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { priceWords } from '../plans/price.ts'
import { usePlansTexts } from '../plans/texts.ts'
import { useAddress } from '../shell/shop.ts'
import { useSubscriptionsTexts } from './texts.ts'

type ChoosePlanProps = {
  /** Those that can be subscribed to. Undefined as long as they are read. */
  readonly plans: readonly Plan[] | undefined
  /** Empty: none. */
  readonly id: string
  readonly onPlan: (id: string) => void
  readonly error: string | undefined
}

/** One of the active plans, with its price. */
export const ChoosePlan = ({ plans, id, onPlan, error }: ChoosePlanProps) => {
  const { plan: label, form: texts } = useSubscriptionsTexts()
  const plansTexts = usePlansTexts()
  const { formats } = useReader()
  const address = useAddress()
  return (
    <FormField
      label={label}
      error={error}
      hint={
        plans?.length === 0 ? (
          <>
            {texts.noPlans} <a href={address('plans', 'new')}>{texts.createPlan}</a>
          </>
        ) : undefined
      }
    >
      {links => (
        <select class="input" name="planId" {...links} value={id} onChange={event => onPlan(event.currentTarget.value)}>
          <option value="">{texts.choose}</option>
          {plans?.map(plan => (
            <option key={plan.id} value={plan.id}>
              {plan.name} – {priceWords(plan, plansTexts, formats)}
            </option>
          ))}
        </select>
      )}
    </FormField>
  )
}

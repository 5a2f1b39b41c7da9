import type { Plan } from '../../api/calls.ts'
import { FindPlan, useFoundPlans } from '../plans/find-plan.tsx'
import { useAddress } from '../shell/shop.ts'
import { useSubscriptionsTexts } from './texts.ts'

type ChoosePlanProps = {
  /** The one that is chosen at first. */
  readonly plan?: Plan | undefined
  readonly fits?: (plan: Plan) => boolean
  readonly onPlan: (plan: Plan | undefined) => void
  readonly error: string | undefined
}

/** One of the active plans, with its price. */
export const ChoosePlan = (props: ChoosePlanProps) => {
  const { plan: label, form: texts } = useSubscriptionsTexts()
  const address = useAddress()
  const { data } = useFoundPlans('', 'active')
  return (
    <FindPlan
      {...props}
      label={label}
      status="active"
      placeholder={texts.choose}
      hint={
        data?.data.length === 0 ? (
          <>
            {texts.noPlans} <a href={address('plans', 'new')}>{texts.createPlan}</a>
          </>
        ) : undefined
      }
    />
  )
}

import { PickToggle } from '../shell/filters.tsx'
import { FindPlan } from './find-plan.tsx'
import { usePlansTexts } from './texts.ts'
import { usePlan } from './use-plan.ts'

type PickPlanProps = {
  /** Undefined: all plans. */
  readonly id: string | undefined
  readonly onPick: (id: string | undefined) => void
}

/** The filter of a list by a plan; pressed again, all are shown. */
export const PickPlan = ({ id, onPick }: PickPlanProps) => {
  const texts = usePlansTexts()
  if (id !== undefined) return <PickedPlan id={id} onPick={onPick} />
  return (
    <div class="pick-found">
      <FindPlan
        label={texts.find}
        placeholder={texts.any}
        error={undefined}
        onPlan={plan => plan !== undefined && onPick(plan.id)}
      />
    </div>
  )
}

const PickedPlan = ({ id, onPick }: PickPlanProps & { readonly id: string }) => {
  const { one } = usePlansTexts()
  const { data } = usePlan(id)
  return (
    <PickToggle isOn onToggle={() => onPick(undefined)}>
      {`${one}: ${data?.name ?? '…'}`}
    </PickToggle>
  )
}

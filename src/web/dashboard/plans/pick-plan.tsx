import { Pick, PickToggle } from '../shell/filters.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { useTexts } from '../shell/texts.ts'
import { usePlansTexts } from './texts.ts'
import { usePlan } from './use-plan.ts'

type PickPlanProps = {
  /** Undefined: all plans. */
  readonly id: string | undefined
  readonly onPick: (id: string | undefined) => void
}

const MOST = 100

/** The latest plans, by which a list can be filtered, and from which one is chosen. */
export const usePlanList = (status?: 'active') =>
  useShopQuery(['plans', 'list', status], ({ call, ...scope }, signal) =>
    call('listPlans', { ...scope, limit: MOST, ...(status && { status: [status] }) }, { signal }),
  ).value

/** The filter of a list by a plan; pressed again, all are shown. */
export const PickPlan = ({ id, onPick }: PickPlanProps) => {
  const { one } = usePlansTexts()
  const { list } = useTexts()
  const { data } = usePlanList()
  if (id !== undefined) return <PickedPlan id={id} onPick={onPick} />
  return (
    <Pick
      label={one}
      all={list.all}
      value=""
      options={(data?.data ?? []).map(plan => [plan.id, plan.name])}
      onPick={onPick}
    />
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

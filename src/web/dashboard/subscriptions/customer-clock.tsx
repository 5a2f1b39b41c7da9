import { useShopQuery } from '../shell/queries.ts'
import { ClockBar } from '../test-clocks/clock-bar.tsx'
import { boundariesOf } from './next-step.ts'

/** The test clock of a customer, with the boundaries of its latest subscriptions. */
export const CustomerClock = ({ id, testClockId }: { readonly id: string; readonly testClockId: string }) => {
  const { data } = useShopQuery(['subscriptions', 'of', 'customer', id, 'boundaries'], ({ call, ...scope }, signal) =>
    call('listSubscriptions', { ...scope, customerId: id, limit: 20 }, { signal }),
  ).value
  return <ClockBar id={testClockId} customerId={id} boundaries={(data?.data ?? []).flatMap(boundariesOf)} />
}

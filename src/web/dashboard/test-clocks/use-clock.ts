import { useEffect } from 'preact/hooks'
import { useReader } from '../../parts/reader.ts'
import { useShopQuery } from '../shell/queries.ts'

const ADVANCING_MS = 500

/** A test clock as it is now, or null without one; while it advances, it is read often. */
export const useClock = (id: string | null) => {
  const result = useShopQuery(['test-clocks', 'one', id], async ({ merchantId, call }, signal) =>
    id === null ? null : call('getTestClock', { merchantId, id }, { signal }),
  ).value
  const { data, refetch } = result
  useEffect(() => {
    if (data?.status !== 'advancing') return
    const timer = setInterval(() => void refetch(), ADVANCING_MS)
    return () => clearInterval(timer)
  }, [data?.status])
  return result
}

type OnClock = { readonly testClockId: string | null } | null | undefined

/** The time of a customer: that of its test clock, if it has one. Undefined until the clock is read, and if it was deleted. */
export const useCustomerTime = (customer: OnClock): Date | undefined => {
  const { now } = useReader()
  const id = customer?.testClockId ?? null
  const clock = useClock(id).data
  if (id === null) return now.value
  return clock ? new Date(clock.now) : undefined
}

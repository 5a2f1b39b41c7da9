import { useEffect } from 'preact/hooks'
import { useReader } from '../../parts/reader.ts'
import { useShopQuery } from '../shell/queries.ts'

const ADVANCING_MS = 500

/** A test clock as it is now; while it advances, it is read often. */
export const useClock = (id: string) => {
  const result = useShopQuery(['test-clocks', 'one', id], ({ merchantId, call }, signal) =>
    call('getTestClock', { merchantId, id }, { signal }),
  ).value
  const { data, refetch } = result
  useEffect(() => {
    if (data?.status !== 'advancing') return
    const timer = setInterval(() => void refetch(), ADVANCING_MS)
    return () => clearInterval(timer)
  }, [data?.status])
  return result
}

/** The time of a customer: that of the clock, if there is one. */
export const useCustomerTime = (testClockId: string | null): Date => {
  const { now } = useReader()
  const { data } = useClock(testClockId ?? '')
  return testClockId !== null && data ? new Date(data.now) : now.value
}

import { useReader } from '../../parts/reader.ts'
import { useTestClocksTexts } from './texts.ts'
import { useClock } from './use-clock.ts'

/** In a dialog about a customer with a test clock: what its time is now. */
export const ClockTime = ({ testClockId }: { readonly testClockId: string | null }) => {
  const texts = useTestClocksTexts()
  const { formats } = useReader()
  const { data: clock } = useClock(testClockId)
  if (!clock) return null
  return (
    <p class="quiet">
      {texts.title}: {texts.now(formats.exact(clock.now))}
    </p>
  )
}

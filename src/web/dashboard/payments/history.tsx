import type { PaymentWithCrypto, Transition } from '../../api/calls.ts'
import type { StateShape } from '../../parts/state-mark.tsx'
import { Timeline } from '../shell/timeline.tsx'
import { usePaymentTexts } from './texts.ts'

export const PaymentHistory = ({ payment: { id } }: { readonly payment: PaymentWithCrypto }) => {
  const { opened, events } = usePaymentTexts().history
  return (
    <Timeline section="payments" id={id} call="listPaymentHistory" opened={opened} events={events} shapeOf={shapeOf} />
  )
}

const warnings = [
  ...['too_little_seen', 'late_finalized', 'stray_seen', 'price_missed', 'reorganized', 'less_seen'],
  'collection_unexplained',
]

const shapeOf = ({ from, to, event }: Transition): StateShape | undefined => {
  if (warnings.includes(event)) return 'warn'
  if (from === to) return undefined
  const ends: Readonly<Record<string, StateShape>> = {
    success: 'done',
    failed: 'bad',
    expired: 'over',
    canceled: 'off',
  }
  return ends[to]
}

import type { Plan } from '../../api/calls.ts'
import { showToast } from '../../parts/toast.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { usePlansTexts } from './texts.ts'

type ArchivePlanProps = { readonly plan: Plan; readonly onClose: () => void }

/** Closes a plan for new subscriptions. Done again after a lost response, it changes nothing. */
export const ArchivePlan = ({ plan: { id, subscriptionsCount }, onClose }: ArchivePlanProps) => {
  const { archive: texts } = usePlansTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  return (
    <Confirm
      open
      danger
      title={texts.title}
      no={texts.no}
      yes={texts.button}
      onClose={onClose}
      onYes={async () => {
        try {
          await session.call('archivePlan', { merchantId, id })
          showToast(texts.done)
        } finally {
          await refresh('plans')
        }
      }}
    >
      {texts.what(subscriptionsCount)}
    </Confirm>
  )
}

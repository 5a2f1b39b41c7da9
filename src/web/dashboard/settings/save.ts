import type { Calls } from '../../api/calls.ts'
import { showToast } from '../../parts/toast.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useSettingsTexts } from './texts.ts'

type Changes = Omit<Calls['updateSettings']['input'], 'merchantId' | 'livemode'>

/** Changes settings of this mode, and shows that it was done. */
export const useSave = () => {
  const texts = useSettingsTexts()
  const { session } = useShop()
  const scope = useScope()
  const refresh = useRefresh()
  return async (changes: Changes): Promise<void> => {
    await session.call('updateSettings', { ...scope, ...changes })
    await refresh('settings')
    showToast(texts.saved)
  }
}

import type { Calls } from '../../api/calls.ts'
import { showToast } from '../../parts/toast.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useSettingsTexts } from './texts.ts'

type Changes<Name extends 'updateSettings' | 'updateBillingSettings'> = Omit<
  Calls[Name]['input'],
  'merchantId' | 'livemode'
>

/** Changes settings of this mode, and shows that it was done. */
export const useSave = () => {
  const saveBy = useSaveBy()
  return (changes: Changes<'updateSettings'>): Promise<void> => saveBy('updateSettings', changes)
}

/** The same for the settings of the chosen call. */
export const useSaveBy = () => {
  const texts = useSettingsTexts()
  const { session } = useShop()
  const scope = useScope()
  const refresh = useRefresh()
  return async <Name extends 'updateSettings' | 'updateBillingSettings'>(
    name: Name,
    changes: Changes<Name>,
  ): Promise<void> => {
    await session.call(name, { ...scope, ...changes })
    await refresh('settings')
    showToast(texts.saved)
  }
}

import { useEffect } from 'preact/hooks'
import { NoteBox } from '../../parts/note.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useSettingsTexts } from './texts.ts'

const MOST = 100

type ReminderEndpoints = {
  readonly isRead: boolean
  /** Undefined until they are read, if they cannot be, and if there are more than one page of them. */
  readonly count: number | undefined
}

/** How many endpoints receive `invoice.reminder` now. */
export const useReminderEndpoints = (): ReminderEndpoints => {
  const { data, error, refetch } = useShopQuery(['webhooks', 'reminder'], ({ call, ...scope }, signal) =>
    call('listWebhookEndpoints', { ...scope, limit: MOST }, { signal }),
  ).value
  useEffect(() => {
    // Endpoints may have changed since they were read before.
    void refetch({ cancelRefetch: false })
  }, [])
  if (!data || data.has_more) return { isRead: data !== undefined || error !== null, count: undefined }
  const listening = data.data.filter(
    ({ status, eventTypes }) => status === 'enabled' && eventTypes.includes('invoice.reminder'),
  )
  return { isRead: true, count: listening.length }
}

/** Warns where reminders are planned and no endpoint receives them, with the way to one that does. */
export const RemindersUnheard = () => {
  const { reminderUnheard: texts } = useSettingsTexts().billing
  const address = useAddress()
  const canWrite = useCanWrite()
  if (useReminderEndpoints().count !== 0) return null
  return (
    <NoteBox
      title={texts.title}
      tone="warn"
      actions={
        canWrite && (
          <a class="button button--small" href={`${address('webhooks')}?new=invoice.reminder`}>
            {texts.add}
          </a>
        )
      }
    >
      {texts.what}
    </NoteBox>
  )
}

import { useState } from 'preact/hooks'
import type { WebhookEndpoint } from '../../api/calls.ts'
import { showToast } from '../../parts/toast.tsx'
import { EventTypes } from '../event-types/event-types.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useWebhooksTexts } from './texts.ts'

type ChangeTypesProps = { readonly endpoint: WebhookEndpoint; readonly open: boolean; readonly onClose: () => void }

export const ChangeTypes = ({ endpoint, open, onClose }: ChangeTypesProps) => {
  const texts = useWebhooksTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [changed, setChanged] = useState<WebhookEndpoint['eventTypes']>()
  const [isChecked, setChecked] = useState(false)
  const chosen = changed ?? endpoint.eventTypes
  const close = () => {
    setChanged(undefined)
    setChecked(false)
    action.reset()
    onClose()
  }
  const submit = async () => {
    setChecked(true)
    if (chosen.length === 0) return
    const isDone = await action.run(async () => {
      await session.call('updateWebhookEndpoint', { merchantId, id: endpoint.id, eventTypes: chosen })
      await refresh('webhooks')
      showToast(texts.changeDone)
    })
    if (isDone) close()
  }
  return (
    <FormDialog
      open={open}
      title={texts.changeTypes}
      no={texts.cancel}
      yes={texts.change}
      wide
      action={action}
      onSubmit={submit}
      onClose={close}
    >
      <EventTypes chosen={chosen} isChecked={isChecked} onChoose={setChanged} />
    </FormDialog>
  )
}

import { useEffect, useId, useState } from 'preact/hooks'
import type { Actor, ActorPreview } from '../../api/ops-calls.ts'
import { type Action, useAction } from '../../dashboard/shell/action.ts'
import { Submit } from '../../dashboard/shell/submit.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useOpsCall } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { EventOutcome, EventRefusal } from './event-outcome.tsx'
import { useRefreshed } from './story.ts'

type SendEventProps = { readonly actor: Actor; readonly type: string }

/** Sends an event as an operator, after it was shown what it does, with a reason. */
export const SendEvent = ({ actor, type }: SendEventProps) => {
  const { actor: texts } = useOpsTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button button--small" onClick={() => setOpen(true)}>
        {texts.send(type)}
      </button>
      {isOpen && <SendDialog actor={actor} type={type} onClose={() => setOpen(false)} />}
    </>
  )
}

const SendDialog = ({ actor, type, onClose }: SendEventProps & { readonly onClose: () => void }) => {
  const { actor: texts } = useOpsTexts()
  const call = useOpsCall()
  const refresh = useRefreshed()
  const action = useAction()
  const form = useId()
  const [reason, setReason] = useState('')
  const [isMissing, setMissing] = useState(false)
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    const given = reason.trim()
    setMissing(given === '')
    if (given === '') return
    const isSent = await action.run(async () => {
      const { state } = await call('sendEvent', { id: actor.id, type, reason: given })
      showToast(texts.sent(type, state))
      await refresh()
    })
    if (isSent) onClose()
  }
  return (
    <Dialog
      open
      title={texts.sendTitle(type)}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            {texts.cancel}
          </button>
          <Submit action={action} form={form} danger>
            {texts.send(type)}
          </Submit>
        </>
      }
    >
      <form id={form} class="form" noValidate onSubmit={event => void send(event)}>
        <p>
          {texts.sendWhat} <code class="actor__id">{actor.id}</code>
        </p>
        <Expected actor={actor} type={type} />
        <TextField
          label={texts.reason}
          hint={texts.reasonWhat}
          error={isMissing ? texts.reasonMissing : undefined}
          value={reason}
          maxLength={500}
          autocomplete="off"
          onInput={event => setReason(event.currentTarget.value)}
        />
        {action.error !== undefined && <EventRefusal error={action.error} />}
      </form>
    </Dialog>
  )
}

/** What will happen, as the server says it before it happens. */
const Expected = ({ actor, type }: SendEventProps) => {
  const call = useOpsCall()
  const action: Action = useAction()
  const [preview, setPreview] = useState<ActorPreview>()
  useEffect(() => {
    void action.run(async () => setPreview(await call('previewEvent', { id: actor.id, type })))
  }, [])
  if (action.error !== undefined) return <EventRefusal error={action.error} />
  return preview ? <EventOutcome from={actor.state} preview={preview} /> : <SkeletonRows rows={2} />
}

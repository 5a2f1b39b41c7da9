import { useState } from 'preact/hooks'
import { ApiError } from '../../api/request.ts'
import { TextField } from '../../parts/field.tsx'
import { EventTypes } from '../event-types/event-types.tsx'
import { type ListedEventType, useEventTypes } from '../event-types/texts.ts'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useWebhooksTexts } from './texts.ts'

/** What most shops need. */
const preselected: readonly ListedEventType[] = ['payment.succeeded', 'payment.failed', 'refund.processed']

type NewEndpointProps = {
  readonly open: boolean
  /** An event type that is chosen, too. */
  readonly wanted: string | undefined
  readonly onClose: () => void
  readonly onMade: (secret: string) => void
}

/** Asks for the address and the events, and creates the endpoint. */
export const NewEndpoint = ({ open, wanted, onClose, onMade }: NewEndpointProps) => {
  const texts = useWebhooksTexts()
  const { session } = useShop()
  const scope = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const all = useEventTypes()
  const [chosen, setChosen] = useState<readonly ListedEventType[]>(() => [
    ...preselected,
    ...all.filter(each => each === wanted && !preselected.includes(each)),
  ])
  const [isChecked, setChecked] = useState(false)
  const isUrlRefused = action.error instanceof ApiError && action.error.param === 'url'
  const isUrl = /^https?:\/\/[^\s/]+/.test(url.trim())
  const close = () => {
    setUrl('')
    setDescription('')
    setChosen(preselected)
    setChecked(false)
    action.reset()
    onClose()
  }
  const submit = async () => {
    setChecked(true)
    if (!isUrl || chosen.length === 0) return
    await action.run(async () => {
      const { signingSecret } = await session.call('createWebhookEndpoint', {
        ...scope,
        url: url.trim(),
        eventTypes: chosen,
        ...(description.trim() !== '' && { description: description.trim() }),
      })
      await refresh('webhooks')
      close()
      onMade(signingSecret)
    })
  }
  return (
    <FormDialog
      open={open}
      title={texts.create}
      no={texts.cancel}
      yes={texts.create}
      wide
      action={isUrlRefused ? { ...action, error: undefined } : action}
      onSubmit={submit}
      onClose={close}
    >
      <TextField
        label={texts.url}
        type="url"
        autocomplete="off"
        spellcheck={false}
        maxLength={2_048}
        placeholder="https://"
        hint={texts.urlHint}
        value={url}
        onInput={event => {
          setUrl(event.currentTarget.value)
          action.reset()
        }}
        error={isChecked && !isUrl ? texts.urlWrong : isUrlRefused ? texts.urlRefused : undefined}
      />
      <TextField
        label={texts.description}
        optional
        maxLength={200}
        value={description}
        onInput={event => setDescription(event.currentTarget.value)}
      />
      <EventTypes chosen={chosen} isChecked={isChecked} onChoose={setChosen} />
    </FormDialog>
  )
}

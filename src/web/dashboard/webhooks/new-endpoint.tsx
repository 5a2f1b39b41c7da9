import { useId, useState } from 'preact/hooks'
import type { WebhookEndpoint } from '../../api/calls.ts'
import { TextField } from '../../parts/field.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useWebhooksTexts } from './texts.ts'

type EventType = WebhookEndpoint['eventTypes'][number]

/** What most shops need. */
const preselected: readonly EventType[] = ['payment.succeeded', 'payment.failed', 'refund.processed']

type NewEndpointProps = {
  readonly open: boolean
  readonly onClose: () => void
  readonly onMade: (secret: string) => void
}

/** Asks for the address and the events, and creates the endpoint. */
export const NewEndpoint = ({ open, onClose, onMade }: NewEndpointProps) => {
  const texts = useWebhooksTexts()
  const { session } = useShop()
  const scope = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const id = useId()
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [chosen, setChosen] = useState<readonly EventType[]>(preselected)
  const [isChecked, setChecked] = useState(false)
  const isUrl = /^https?:\/\/[^\s/]+/.test(url.trim())
  // The texts name every type, in the order of a payment's life.
  const all = Object.keys(texts.about) as readonly EventType[]
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
        eventTypes: all.filter(type => chosen.includes(type)),
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
      action={action}
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
        onInput={event => setUrl(event.currentTarget.value)}
        error={isChecked && !isUrl ? texts.urlWrong : undefined}
      />
      <TextField
        label={texts.description}
        optional
        maxLength={200}
        value={description}
        onInput={event => setDescription(event.currentTarget.value)}
      />
      <fieldset aria-describedby={`${id}-none`}>
        <legend class="legend">{texts.choose}</legend>
        <div class="check-columns">
          {all.map(type => (
            <label key={type} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(type)}
                onInput={event =>
                  setChosen(event.currentTarget.checked ? [...chosen, type] : chosen.filter(each => each !== type))
                }
              />
              <span>
                <code>{type}</code>
                <span>{texts.about[type]}</span>
              </span>
            </label>
          ))}
        </div>
        <p id={`${id}-none`} class="field">
          {isChecked && chosen.length === 0 && <span class="error">{texts.chooseNone}</span>}
        </p>
      </fieldset>
    </FormDialog>
  )
}

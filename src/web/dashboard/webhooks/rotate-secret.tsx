import { useState } from 'preact/hooks'
import { Confirm } from '../shell/confirm.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useWebhooksTexts } from './texts.ts'

type RotateSecretProps = {
  readonly endpointId: string
  readonly open: boolean
  readonly onClose: () => void
  readonly onMade: (secret: string) => void
}

const OVERLAP_HOURS = 24

/** A new signing secret, with time to put it in place or without. */
export const RotateSecret = ({ endpointId, open, onClose, onMade }: RotateSecretProps) => {
  const texts = useWebhooksTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const [hours, setHours] = useState(OVERLAP_HOURS)
  const choices = [
    [OVERLAP_HOURS, texts.rotateLater],
    [0, texts.rotateNow],
  ] as const
  return (
    <Confirm
      open={open}
      title={texts.rotateTitle}
      no={texts.cancel}
      yes={texts.rotate}
      onClose={onClose}
      onYes={async () => {
        const made = await session.call('rotateWebhookSecret', { merchantId, id: endpointId, overlapHours: hours })
        await refresh('webhooks')
        onMade(made.signingSecret)
      }}
    >
      <p>{texts.rotateWhat}</p>
      <fieldset>
        <legend class="legend">{texts.rotateWhen}</legend>
        {choices.map(([value, label]) => (
          <label key={value} class="check">
            <input type="radio" name="overlap" checked={value === hours} onInput={() => setHours(value)} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
    </Confirm>
  )
}

import { useState } from 'preact/hooks'
import type { ApiKey } from '../../api/calls.ts'
import { Confirm } from '../shell/confirm.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useKeysTexts } from './texts.ts'

type RotateKeyProps = {
  readonly apiKey: ApiKey | undefined
  readonly onClose: () => void
  readonly onMade: (secret: string) => void
}

const OVERLAP_HOURS = 24

/** A new secret for a key, with time to put it in place or without. */
export const RotateKey = ({ apiKey, onClose, onMade }: RotateKeyProps) => {
  const texts = useKeysTexts()
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
      open={apiKey !== undefined}
      title={texts.rotateTitle(apiKey?.name ?? '')}
      no={texts.cancel}
      yes={texts.rotate}
      onClose={onClose}
      onYes={async () => {
        if (!apiKey) return
        const { secret } = await session.call('rotateApiKey', { merchantId, id: apiKey.id, overlapHours: hours })
        await refresh('keys')
        onMade(secret)
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

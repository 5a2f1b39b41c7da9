import { useState } from 'preact/hooks'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useWebhooksTexts } from './texts.ts'

const HOUR_MS = 3_600_000

/** The API goes back 30 days. The minute is for the way to the server. */
const spans = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 720 * HOUR_MS - 60_000 } as const

type Span = keyof typeof spans

type RecoverProps = { readonly endpointId: string; readonly open: boolean; readonly onClose: () => void }

/** Sends again what failed or was canceled since a time. */
export const Recover = ({ endpointId, open, onClose }: RecoverProps) => {
  const texts = useWebhooksTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const [span, setSpan] = useState<Span>('day')
  return (
    <Confirm
      open={open}
      title={texts.recoverTitle}
      no={texts.cancel}
      yes={texts.recover}
      onClose={onClose}
      onYes={async () => {
        const since = new Date(Date.now() - spans[span]).toISOString()
        const { deliveries } = await session.call('recoverWebhookDeliveries', { merchantId, id: endpointId, since })
        await refresh('deliveries')
        showToast(texts.recoverDone(formats.count(deliveries)))
      }}
    >
      <p>{texts.recoverWhat}</p>
      <fieldset>
        <legend class="legend">{texts.recoverSince}</legend>
        {(Object.keys(spans) as readonly Span[]).map(each => (
          <label key={each} class="check">
            <input type="radio" name="since" checked={each === span} onInput={() => setSpan(each)} />
            <span>{texts.recoverSpans[each]}</span>
          </label>
        ))}
      </fieldset>
    </Confirm>
  )
}

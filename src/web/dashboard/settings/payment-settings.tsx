import { useState } from 'preact/hooks'
import type { Settings } from '../../api/calls.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { TextField } from '../../parts/field.tsx'
import { useAction } from '../shell/action.ts'
import { chainsIn, networkNameOf } from '../shell/chains.ts'
import { shownFailure } from '../shell/failure.ts'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { Facts } from '../shell/record.tsx'
import { useCanWrite, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { basisPointsOf } from './basis-points.ts'
import { useSave } from './save.ts'
import { useSettingsTexts } from './texts.ts'

type PaymentSettingsProps = { readonly settings: Settings }

/** When a payment counts as paid and as final, and who signs refunds. */
export const PaymentSettings = ({ settings }: PaymentSettingsProps) =>
  useCanWrite() ? <PaymentForm settings={settings} /> : <PaymentFacts settings={settings} />

const lates = ['accept_stablecoins', 'needs_attention'] as const
const refundModes = ['manual', 'signer'] as const

/** Null: the default of the network. Undefined: not a number of confirmations. */
const confirmationsOf = (text: string): number | null | undefined => {
  if (text.trim() === '') return null
  const count = Number(text)
  return /^\d{1,5}$/.test(text.trim()) && count >= 1 && count <= 10_000 ? count : undefined
}

/** Only what was edited in the form. All else is shown as the settings are now, and is not saved. */
type Edits = {
  readonly tolerance?: string
  readonly latePolicy?: Settings['latePolicy']
  readonly refundMode?: Settings['refundMode']
  readonly counts?: Readonly<Record<string, string>>
}

const PaymentForm = ({ settings }: PaymentSettingsProps) => {
  const texts = useSettingsTexts()
  const save = useSave()
  const action = useAction()
  const [edits, setEdits] = useState<Edits>({})
  const [isChecked, setChecked] = useState(false)
  const edit = (more: Edits) => setEdits({ ...edits, ...more })
  const { livemode } = useShop()
  const tolerance = edits.tolerance ?? String(settings.toleranceBps / 100)
  const toleranceBps = basisPointsOf(tolerance, 1_000)
  const latePolicy = edits.latePolicy ?? settings.latePolicy
  const refundMode = edits.refundMode ?? settings.refundMode
  const given = Object.entries(edits.counts ?? {}).map(([id, text]) => [id, confirmationsOf(text)] as const)
  const submit = async () => {
    setChecked(true)
    if (toleranceBps === undefined || given.some(([, count]) => count === undefined)) return
    // Only what has changed: the others need no proof of identity.
    const changed = given.filter(([id, count]) => count !== (settings.confirmations[id] ?? null))
    await action.run(async () => {
      await save({
        ...(toleranceBps !== settings.toleranceBps && { toleranceBps }),
        ...(latePolicy !== settings.latePolicy && { latePolicy }),
        ...(refundMode !== settings.refundMode && { refundMode }),
        ...(changed.length > 0 && {
          confirmations: Object.fromEntries(changed.map(([id, count]) => [id, count ?? null])),
        }),
      })
      // What was typed meanwhile stays.
      setEdits(now => (now === edits ? {} : now))
    })
  }
  return (
    <form
      class="form form--wide"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <TextField
        label={texts.tolerance}
        inputMode="decimal"
        autocomplete="off"
        maxLength={5}
        hint={texts.toleranceHint}
        value={tolerance}
        onInput={event => edit({ tolerance: event.currentTarget.value })}
        error={isChecked && toleranceBps === undefined ? texts.toleranceWrong : undefined}
      />
      <RadioChoice
        legend={texts.late}
        name="late"
        values={lates}
        words={texts.lates}
        about={texts.latesWhat}
        value={latePolicy}
        onValue={value => edit({ latePolicy: value })}
      />
      <RadioChoice
        legend={texts.refunds}
        name="refunds"
        values={refundModes}
        words={texts.refundModes}
        about={texts.refundModesWhat}
        value={refundMode}
        onValue={value => edit({ refundMode: value })}
      />
      <fieldset class="form">
        <legend class="legend">{texts.confirmations}</legend>
        <p class="quiet">{texts.confirmationsHint}</p>
        {chainsIn(livemode).map(({ chainId, network, confirmations }) => {
          const text = edits.counts?.[chainId] ?? String(settings.confirmations[chainId] ?? '')
          return (
            <TextField
              key={chainId}
              label={network}
              optional
              inputMode="numeric"
              autocomplete="off"
              maxLength={5}
              placeholder={String(confirmations)}
              value={text}
              onInput={event => edit({ counts: { ...edits.counts, [chainId]: event.currentTarget.value } })}
              error={isChecked && confirmationsOf(text) === undefined ? texts.confirmationsWrong : undefined}
            />
          )
        })}
      </fieldset>
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
      <div class="buttons">
        <Submit action={action}>{texts.save}</Submit>
      </div>
    </form>
  )
}

const PaymentFacts = ({ settings }: PaymentSettingsProps) => {
  const texts = useSettingsTexts()
  return (
    <Facts
      facts={[
        [texts.tolerance, String(settings.toleranceBps / 100)],
        [texts.late, texts.lates[settings.latePolicy]],
        [texts.refunds, texts.refundModes[settings.refundMode]],
        ...Object.entries(settings.confirmations).map(
          ([id, count]) => [`${texts.confirmations}, ${networkNameOf(Number(id))}`, count] as const,
        ),
      ]}
    />
  )
}

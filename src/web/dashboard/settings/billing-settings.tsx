import { useState } from 'preact/hooks'
import type { BillingSettings } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { FormField, TextField } from '../../parts/field.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { AddressFields } from '../postal-address/address-fields.tsx'
import { AddressLines } from '../postal-address/address-lines.tsx'
import { usePostalAddressTexts } from '../postal-address/texts.ts'
import { useAction } from '../shell/action.ts'
import { refusedField, shownFailure } from '../shell/failure.ts'
import { useShopQuery } from '../shell/queries.ts'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { Facts } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useIsOwner } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import {
  type BillingDraft,
  type BillingEdits,
  billingChangesIn,
  billingDraftOf,
  billingFaultsIn,
} from './billing-draft.ts'
import { NumberPreview } from './number-preview.tsx'
import { RemindersField } from './reminders-field.tsx'
import { useSaveBy } from './save.ts'
import { useSettingsTexts } from './texts.ts'
import { TimeZoneField } from './time-zone-field.tsx'

/** Who invoices come from, how they are numbered, and when they are due. */
export const BillingSettingsPart = () => {
  const isOwner = useIsOwner()
  const result = useShopQuery(['settings', 'billing'], ({ call, ...scope }, signal) =>
    call('getBillingSettings', scope, { signal }),
  ).value
  return (
    <Result result={result} skeleton={<SkeletonRows rows={10} />}>
      {settings => (
        <>
          <Missing settings={settings} />
          {isOwner ? <BillingForm settings={settings} /> : <BillingFacts settings={settings} />}
        </>
      )}
    </Result>
  )
}

type BillingProps = { readonly settings: BillingSettings }

/** What must be set before invoices of live mode can be finalized. */
const Missing = ({ settings: { legalName, address } }: BillingProps) => {
  const { billing: texts } = useSettingsTexts()
  const { title } = usePostalAddressTexts()
  const missing = [...(legalName === null ? [texts.legalName] : []), ...(address === null ? [title] : [])]
  if (missing.length === 0) return null
  return (
    <div class="notice">
      <NoteBox tone="warn" title={texts.missingTitle}>
        {texts.missing(missing.join(', '))}
      </NoteBox>
    </div>
  )
}

const restarts = ['yearly', 'never'] as const
const taxBehaviors = ['exclusive', 'inclusive'] as const

type TextName =
  | ('legalName' | 'taxId' | 'invoicePrefix' | 'creditNotePrefix' | 'numberPattern')
  | ('nextNumber' | 'daysUntilDue' | 'taxRateBps' | 'retentionYears')

const BillingForm = ({ settings }: BillingProps) => {
  const { billing: texts, save, stepUp } = useSettingsTexts()
  const saveBy = useSaveBy()
  const action = useAction()
  const [edits, setEdits] = useState<BillingEdits>({})
  const [isChecked, setChecked] = useState(false)
  const draft: BillingDraft = { ...billingDraftOf(settings), ...edits }
  const faults = billingFaultsIn(edits, settings)
  const refused = refusedIn(action.error)
  const edit = (more: BillingEdits) => {
    setEdits({ ...edits, ...more })
    action.reset()
  }
  const submit = async () => {
    setChecked(true)
    if (Object.values(faults).some(Boolean)) return
    await action.run(async () => {
      await saveBy('updateBillingSettings', billingChangesIn(edits, settings))
      // What was typed meanwhile stays.
      setEdits(now => (now === edits ? {} : now))
      setChecked(false)
    })
  }
  const errorOf = (field: keyof BillingDraft): string | undefined => {
    if (isChecked && field === 'numberPattern' && faults.numberPattern) return texts.patternFaults[faults.numberPattern]
    if (isChecked && isOwnFault(field) && faults[field]) return texts.wrong[field]
    if (refused?.field !== field) return undefined
    if (refused.isConflict && (field === 'timeZone' || field === 'nextNumber')) return texts.conflicts[field]
    return texts.refused
  }
  const isOwnFault = (field: keyof BillingDraft): field is keyof typeof texts.wrong => field in texts.wrong
  const input = (name: TextName) => ({
    ...{ name, value: draft[name], autocomplete: 'off' as const, error: errorOf(name) },
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => edit({ [name]: event.currentTarget.value }),
  })
  const isAtField = refused !== undefined && (refused.field.split('.')[0] ?? '') in draft
  return (
    <div class="beside">
      <form
        class="form form--wide"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        <p class="quiet">{texts.bothModes}</p>
        <TextField label={texts.legalName} maxLength={200} hint={texts.legalNameHint} {...input('legalName')} />
        <AddressFields
          value={draft.address}
          onValue={address => edit({ address })}
          isChecked={isChecked}
          refused={refused?.field}
        />
        <TextField label={texts.taxId} optional maxLength={200} hint={texts.taxIdHint} {...input('taxId')} />
        <TimeZoneField
          label={texts.timeZone}
          hint={texts.timeZoneHint}
          error={errorOf('timeZone')}
          saved={settings.timeZone}
          value={draft.timeZone}
          onValue={timeZone => edit({ timeZone })}
        />
        <fieldset class="form">
          <legend class="legend">{texts.numbers}</legend>
          <p class="quiet">{texts.numbersHint}</p>
          <TextField
            label={texts.pattern}
            maxLength={60}
            spellcheck={false}
            hint={texts.patternHint}
            {...input('numberPattern')}
          />
          <TextField label={texts.invoicePrefix} maxLength={20} spellcheck={false} {...input('invoicePrefix')} />
          <TextField label={texts.creditNotePrefix} maxLength={20} spellcheck={false} {...input('creditNotePrefix')} />
          <RadioChoice
            legend={texts.restart}
            name="restart"
            values={restarts}
            words={texts.restarts}
            about={texts.restartsWhat}
            value={draft.restart}
            onValue={restart => edit({ restart })}
          />
          <TextField
            label={texts.nextNumber}
            inputMode="numeric"
            maxLength={9}
            hint={settings.livemode ? texts.nextNumberHintLive : texts.nextNumberHintTest}
            {...input('nextNumber')}
          />
        </fieldset>
        <TextField
          label={texts.daysUntilDue}
          inputMode="numeric"
          maxLength={3}
          hint={texts.daysUntilDueHint}
          {...input('daysUntilDue')}
        />
        <RemindersField value={draft.reminders} onValue={reminders => edit({ reminders })} />
        <TextField
          label={texts.taxRate}
          inputMode="decimal"
          maxLength={6}
          hint={texts.taxRateHint}
          {...input('taxRateBps')}
        />
        <RadioChoice
          legend={texts.taxBehavior}
          name="taxBehavior"
          values={taxBehaviors}
          words={texts.taxBehaviors}
          about={texts.taxBehaviorsWhat}
          value={draft.taxBehavior}
          onValue={taxBehavior => edit({ taxBehavior })}
        />
        <FormField label={texts.notes} optional hint={texts.notesHint} error={errorOf('notes')}>
          {props => (
            <textarea
              class="input"
              rows={3}
              maxLength={2_000}
              {...props}
              value={draft.notes}
              onInput={event => edit({ notes: event.currentTarget.value })}
            />
          )}
        </FormField>
        <TextField
          label={texts.retention}
          inputMode="numeric"
          maxLength={2}
          hint={texts.retentionHint}
          {...input('retentionYears')}
        />
        {action.error !== undefined && !isAtField && <ErrorNote failure={shownFailure(action.error)} />}
        <p class="quiet">{stepUp}</p>
        <div class="buttons">
          <Submit action={action}>{save}</Submit>
        </div>
      </form>
      <NumberPreview edits={edits} settings={settings} />
    </div>
  )
}

/** The field that the server has refused, for its value or because of what has happened before. */
const refusedIn = (error: unknown): { readonly field: string; readonly isConflict: boolean } | undefined => {
  const isConflict = error instanceof ApiError && error.code === 'state_conflict'
  const field = isConflict ? error.param : refusedField(error)
  return field === undefined ? undefined : { field, isConflict }
}

const BillingFacts = ({ settings }: BillingProps) => {
  const { billing: texts, none } = useSettingsTexts()
  const { title } = usePostalAddressTexts()
  const { formats } = useReader()
  const { address, reminders } = settings
  return (
    <Facts
      facts={[
        [texts.legalName, settings.legalName ?? none],
        [title, address === null ? none : <AddressLines address={address} />],
        [texts.taxId, settings.taxId ?? none],
        [texts.timeZone, settings.timeZone],
        [texts.pattern, <code>{settings.numberPattern}</code>],
        [texts.invoicePrefix, settings.invoicePrefix],
        [texts.creditNotePrefix, settings.creditNotePrefix],
        [texts.restart, texts.restarts[settings.restart]],
        [texts.nextNumber, settings.nextNumber],
        [texts.daysUntilDue, settings.daysUntilDue],
        [texts.reminders, reminders.length === 0 ? texts.noReminders : reminders.map(texts.reminder).join(', ')],
        [texts.taxRate, formats.decimal(String(settings.taxRateBps / 100))],
        [texts.taxBehavior, texts.taxBehaviors[settings.taxBehavior]],
        [texts.notes, settings.notes ?? none],
        [texts.retention, settings.retentionYears],
      ]}
    />
  )
}

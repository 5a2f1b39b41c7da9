import type { BillingSettings } from '../../api/calls.ts'
import { FormField, TextField } from '../../parts/field.tsx'
import { MetadataFields } from '../customers/metadata-fields.tsx'
import { useCustomersTexts } from '../customers/texts.ts'
import { RemindersField } from '../settings/reminders-field.tsx'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { ReferenceField } from '../shell/reference-field.tsx'
import { AssetsField } from './assets-field.tsx'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import type { InvoiceDraft, InvoiceEdits, InvoiceFaults } from './invoice-draft.ts'

type MoreFieldsProps = {
  readonly draft: InvoiceDraft
  readonly onEdit: (edits: InvoiceEdits) => void
  readonly settings: BillingSettings
  readonly faults: InvoiceFaults | undefined
  readonly refused: string | undefined
}

const moreFields: readonly string[] = ['reference', 'orderNumber', 'notes', 'assets', 'reminders', 'metadata']

/** What most invoices do not need. */
export const MoreFields = ({ draft, onEdit, settings, faults, refused }: MoreFieldsProps) => {
  const texts = useInvoiceEditorTexts()
  const { metadataRefused } = useCustomersTexts()
  const errorOf = (field: string): string | undefined => (refused === field ? texts.refused : undefined)
  const isRefused = moreFields.includes(refused?.split('.')[0] ?? '')
  const hasFault = faults?.assets || faults?.metadata.some(Boolean)
  const isFilled = [draft.reference, draft.orderNumber].some(text => text !== '') || draft.metadata.length > 0
  return (
    <details class="more" open={isRefused || hasFault || isFilled || draft.assets !== null}>
      <summary>{texts.more2}</summary>
      <div class="form form--wide">
        <ReferenceField
          label={texts.reference}
          hint={texts.referenceHint}
          value={draft.reference}
          onReference={reference => onEdit({ reference })}
          error={errorOf('reference')}
        />
        <TextField
          label={texts.orderNumber}
          optional
          name="orderNumber"
          autocomplete="off"
          maxLength={200}
          hint={texts.orderNumberHint}
          value={draft.orderNumber}
          onInput={event => onEdit({ orderNumber: event.currentTarget.value })}
          error={errorOf('orderNumber')}
        />
        <FormField label={texts.notes} optional hint={texts.notesHint} error={errorOf('notes')}>
          {props => (
            <textarea
              class="input"
              name="notes"
              rows={3}
              maxLength={2_000}
              {...props}
              value={draft.notes}
              onInput={event => onEdit({ notes: event.currentTarget.value })}
            />
          )}
        </FormField>
        <Reminders draft={draft} onEdit={onEdit} settings={settings} />
        <AssetsField
          assets={draft.assets}
          onAssets={assets => onEdit({ assets })}
          error={faults?.assets ? texts.assetsNone : errorOf('assets')}
        />
        <MetadataFields
          entries={draft.metadata}
          onEntries={metadata => onEdit({ metadata })}
          faults={faults?.metadata ?? []}
          refused={refused?.split('.')[0] === 'metadata' ? metadataRefused : undefined}
        />
      </div>
    </details>
  )
}

const Reminders = ({ draft, onEdit, settings }: Pick<MoreFieldsProps, 'draft' | 'onEdit' | 'settings'>) => {
  const texts = useInvoiceEditorTexts()
  return (
    <>
      <RadioChoice
        legend={texts.reminders}
        name="reminders"
        values={['settings', 'own'] as const}
        words={texts.remindersBy}
        about={texts.remindersWhat}
        value={draft.reminders === null ? 'settings' : 'own'}
        onValue={by => onEdit({ reminders: by === 'own' ? settings.reminders : null })}
      />
      {draft.reminders !== null && (
        <RemindersField value={draft.reminders} onValue={reminders => onEdit({ reminders })} />
      )}
    </>
  )
}

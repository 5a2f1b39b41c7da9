import { FormField, TextField } from '../../parts/field.tsx'
import { MetadataFields } from '../customers/metadata-fields.tsx'
import { useCustomersTexts } from '../customers/texts.ts'
import { useInvoiceEditorTexts } from '../invoices/editor-texts.ts'
import type { PlanDraft, planFaultsIn } from './terms-draft.ts'
import { usePlansTexts } from './texts.ts'

export type NamedDraft = Pick<PlanDraft, 'name' | 'description' | 'metadata'>

type NameFieldsProps = {
  readonly draft: NamedDraft
  readonly onEdit: (edits: Partial<NamedDraft>) => void
  /** Undefined as long as the form was not checked. */
  readonly faults: ReturnType<typeof planFaultsIn> | undefined
  /** The parameter that the server has refused. */
  readonly refused: string | undefined
}

/** What customers read of a plan. */
export const NameFields = ({ draft, onEdit, faults, refused }: NameFieldsProps) => {
  const texts = usePlansTexts()
  const { refused: refusedWords } = useInvoiceEditorTexts()
  const errorOf = (field: string): string | undefined => (refused === field ? refusedWords : undefined)
  return (
    <>
      <TextField
        label={texts.name}
        name="name"
        autocomplete="off"
        maxLength={200}
        hint={texts.form.nameHint}
        value={draft.name}
        onInput={event => onEdit({ name: event.currentTarget.value })}
        error={faults?.name ? texts.form.nameEmpty : errorOf('name')}
      />
      <FormField label={texts.description} optional hint={texts.form.descriptionHint} error={errorOf('description')}>
        {props => (
          <textarea
            class="input"
            name="description"
            rows={3}
            maxLength={1_000}
            {...props}
            value={draft.description}
            onInput={event => onEdit({ description: event.currentTarget.value })}
          />
        )}
      </FormField>
    </>
  )
}

export const PlanMetadata = ({ draft, onEdit, faults, refused }: NameFieldsProps) => {
  const { metadataRefused } = useCustomersTexts()
  return (
    <MetadataFields
      entries={draft.metadata}
      onEntries={metadata => onEdit({ metadata })}
      faults={faults?.metadata ?? []}
      refused={refused?.split('.')[0] === 'metadata' ? metadataRefused : undefined}
    />
  )
}

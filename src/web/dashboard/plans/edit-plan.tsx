import { useState } from 'preact/hooks'
import type { Plan } from '../../api/calls.ts'
import { showToast } from '../../parts/toast.tsx'
import { enteredMetadata } from '../customers/customer-draft.ts'
import { useAction } from '../shell/action.ts'
import { refusedField } from '../shell/failure.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { type NamedDraft, NameFields, PlanMetadata } from './name-fields.tsx'
import { planFaultsIn } from './terms-draft.ts'
import { usePlansTexts } from './texts.ts'

type EditPlanProps = { readonly plan: Plan; readonly onClose: () => void }

/** What can be changed of a plan: its texts and its metadata. */
export const EditPlan = ({ plan: { id, name, description, metadata }, onClose }: EditPlanProps) => {
  const { edit: texts } = usePlansTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [isChecked, setChecked] = useState(false)
  const [draft, setDraft] = useState<NamedDraft>(() => ({
    ...{ name, description: description ?? '' },
    metadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  }))
  const faults = planFaultsIn(draft)
  const refused = refusedField(action.error)
  const submit = async () => {
    setChecked(true)
    if (faults.name || faults.metadata.some(Boolean)) return
    const isDone = await action.run(async () => {
      await session.call('updatePlan', {
        ...{ merchantId, id, name: draft.name.trim(), description: draft.description.trim() || null },
        metadata: enteredMetadata(draft.metadata),
      })
      await refresh('plans')
    })
    if (!isDone) return
    showToast(texts.done)
    onClose()
  }
  const props = {
    draft,
    onEdit: (edits: Partial<NamedDraft>) => setDraft({ ...draft, ...edits }),
    ...{ faults: isChecked ? faults : undefined, refused },
  }
  return (
    <FormDialog
      open
      title={texts.title}
      no={texts.no}
      yes={texts.yes}
      isAtField={['name', 'description', 'metadata'].includes(refused?.split('.')[0] ?? '')}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="quiet">{texts.what}</p>
      <NameFields {...props} />
      <PlanMetadata {...props} />
    </FormDialog>
  )
}

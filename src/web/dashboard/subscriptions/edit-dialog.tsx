import { useState } from 'preact/hooks'
import { shortestDays } from '../../../billing/periods.ts'
import { TextField } from '../../parts/field.tsx'
import { showToast } from '../../parts/toast.tsx'
import { enteredMetadata, type MetadataEntry, metadataFaultsIn } from '../customers/customer-draft.ts'
import { MetadataFields } from '../customers/metadata-fields.tsx'
import { useCustomersTexts } from '../customers/texts.ts'
import { useInvoiceEditorTexts } from '../invoices/editor-texts.ts'
import { usePlansTexts } from '../plans/texts.ts'
import { useAction } from '../shell/action.ts'
import { refusedField } from '../shell/failure.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { ReferenceField } from '../shell/reference-field.tsx'
import { wholeOf } from '../shell/whole.ts'
import type { ActionDialogProps } from './action-props.ts'
import { useSubscriptionsTexts } from './texts.ts'
import { useSubscriptionCall } from './use-subscription-call.ts'

/** What can be changed of a subscription without changing what it costs. */
export const EditDialog = ({ subscription, onClose }: ActionDialogProps) => {
  const texts = useSubscriptionsTexts()
  const { edit: words } = texts
  const { form } = usePlansTexts()
  const { refused: refusedWords } = useInvoiceEditorTexts()
  const { metadataRefused } = useCustomersTexts()
  const action = useAction()
  const { act } = useSubscriptionCall(subscription.id)
  const most = shortestDays(subscription) - 1
  const [isChecked, setChecked] = useState(false)
  const [days, setDays] = useState({
    leadDays: String(subscription.leadDays),
    graceDays: String(subscription.graceDays),
  })
  const [reference, setReference] = useState(subscription.reference ?? '')
  const [verified, setVerified] = useState(subscription.verified)
  const [metadata, setMetadata] = useState<readonly MetadataEntry[]>(() =>
    Object.entries(subscription.metadata).map(([key, value]) => ({ key, value })),
  )
  const refused = refusedField(action.error)
  const metadataFaults = metadataFaultsIn(metadata)
  const isWrong = (text: string) => !((wholeOf(text) ?? -1) >= 0 && (wholeOf(text) ?? 0) <= most)
  const number = (name: keyof typeof days) => ({
    ...{ name, value: days[name], inputMode: 'numeric' as const, autocomplete: 'off' as const, maxLength: 4 },
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      setDays({ ...days, [name]: event.currentTarget.value }),
    error: isChecked && isWrong(days[name]) ? form.daysWrong(most) : refused === name ? refusedWords : undefined,
  })
  const submit = async () => {
    setChecked(true)
    if (isWrong(days.leadDays) || isWrong(days.graceDays) || metadataFaults.some(Boolean)) return
    const isDone = await action.run(() =>
      act((call, { merchantId, id }) =>
        call('updateSubscription', {
          ...{ merchantId, id, leadDays: Number(days.leadDays), graceDays: Number(days.graceDays) },
          ...{ reference: reference.trim() || null, metadata: enteredMetadata(metadata) },
          ...(verified !== subscription.verified && { verified }),
        }),
      ),
    )
    if (!isDone) return
    showToast(words.done)
    onClose()
  }
  return (
    <FormDialog
      open
      title={words.title}
      no={words.no}
      yes={words.yes}
      action={action}
      isAtField={refused !== undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={form.lead} hint={words.leadHint(most)} {...number('leadDays')} />
      <TextField label={form.grace} hint={words.graceHint(most)} {...number('graceDays')} />
      <ReferenceField
        label={texts.reference}
        value={reference}
        onReference={setReference}
        error={refused === 'reference' ? refusedWords : undefined}
      />
      {!subscription.verified && (
        <label class="check">
          <input
            type="checkbox"
            name="verified"
            checked={verified}
            onInput={event => setVerified(event.currentTarget.checked)}
          />
          <span>{words.verified}</span>
        </label>
      )}
      <MetadataFields
        entries={metadata}
        onEntries={setMetadata}
        faults={isChecked ? metadataFaults : []}
        refused={refused?.split('.')[0] === 'metadata' ? metadataRefused : undefined}
      />
    </FormDialog>
  )
}

import { FormDialog } from '../shell/form-dialog.tsx'
import { CodeField, useCode } from './code-field.tsx'
import { useAccountTexts } from './texts.ts'

type CodeDialogProps = {
  readonly title: string
  readonly lead: string
  readonly yes: string
  readonly onCode: (code: string) => Promise<void>
  readonly onClose: () => void
}

/** Asks for a code of the second factor, which is sent with the change itself. */
export const CodeDialog = ({ title, lead, yes, onCode, onClose }: CodeDialogProps) => {
  const texts = useAccountTexts()
  const { action, submit, field } = useCode()
  return (
    <FormDialog
      open
      title={title}
      no={texts.cancel}
      yes={yes}
      action={action}
      onSubmit={() => submit(onCode)}
      onClose={onClose}
    >
      <p>{lead}</p>
      <CodeField label={texts.anyCode} hint={texts.anyCodeHint} {...field} />
    </FormDialog>
  )
}

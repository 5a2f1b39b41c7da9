import { useState } from 'preact/hooks'
import type { InviteWithToken } from '../../api/calls.ts'
import { TextField } from '../../parts/field.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { type MemberRole, RoleChoice } from './role-choice.tsx'
import { useMembersTexts } from './texts.ts'

type InviteDialogProps = { readonly onClose: () => void; readonly onMade: (invite: InviteWithToken) => void }

/** Asks for a role and an address, and creates the invite. */
export const InviteDialog = ({ onClose, onMade }: InviteDialogProps) => {
  const texts = useMembersTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [given, setEmail] = useState('')
  const [role, setRole] = useState<MemberRole>('viewer')
  const [isChecked, setChecked] = useState(false)
  const email = given.trim()
  const isWrong = email !== '' && !/^[^\s@]+@[^\s@]+$/.test(email)
  const submit = async () => {
    setChecked(true)
    if (isWrong) return
    await action.run(async () => {
      const made = await session.call('inviteMember', { merchantId, role, email: email === '' ? null : email })
      await refresh('members')
      onMade(made)
    })
  }
  return (
    <FormDialog
      open
      title={texts.invite}
      no={texts.cancel}
      yes={texts.invite}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="quiet">{texts.inviteWhat}</p>
      <TextField
        label={texts.email}
        optional
        type="email"
        autocomplete="off"
        spellcheck={false}
        maxLength={254}
        hint={texts.emailHint}
        value={given}
        onInput={event => setEmail(event.currentTarget.value)}
        error={isChecked && isWrong ? texts.emailWrong : undefined}
      />
      <RoleChoice role={role} onRole={setRole} />
    </FormDialog>
  )
}

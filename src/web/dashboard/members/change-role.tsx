import { useState } from 'preact/hooks'
import type { Member } from '../../api/calls.ts'
import { NoteBox } from '../../parts/note.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { RoleChoice } from './role-choice.tsx'
import { useMembersTexts } from './texts.ts'

type ChangeRoleProps = { readonly member: Member; readonly onClose: () => void }

/** Gives a member another role. */
export const ChangeRole = ({ member, onClose }: ChangeRoleProps) => {
  const texts = useMembersTexts()
  const { session, account } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [role, setRole] = useState(member.role)
  const isOwn = member.id === account.user.id
  const submit = async () => {
    await action.run(async () => {
      if (role !== member.role) {
        await session.call('changeRole', { merchantId, id: member.id, role })
        await refresh('members')
        showToast(texts.changed)
        if (isOwn) await session.reload()
      }
      onClose()
    })
  }
  return (
    <FormDialog
      open
      title={texts.changeTitle(member.email)}
      no={texts.cancel}
      yes={texts.changeRole}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      <RoleChoice role={role} onRole={setRole} />
      {isOwn && role !== 'owner' ? (
        <NoteBox tone="warn" title={texts.changeOwn} />
      ) : (
        <p class="quiet">{texts.changeWhat}</p>
      )}
    </FormDialog>
  )
}

import type { InviteWithToken } from '../../api/calls.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useReader } from '../../parts/reader.ts'
import { useTexts } from '../shell/texts.ts'
import { useMembersTexts } from './texts.ts'

type InviteLinkProps = { readonly invite: InviteWithToken; readonly onClose: () => void }

/** The link of an invite. Only the response to its creation contains it. */
export const InviteLink = ({ invite: { url, role, expiresAt }, onClose }: InviteLinkProps) => {
  const texts = useMembersTexts()
  const { roles } = useTexts()
  const { formats } = useReader()
  return (
    <Dialog
      open
      title={texts.linkTitle}
      lead={texts.linkWhat(roles[role])}
      dismissible={false}
      wide
      onClose={onClose}
      footer={
        <button type="button" class="button button--primary" onClick={onClose}>
          {texts.done}
        </button>
      }
    >
      <div class="secret">
        <code data-testid="invite-link">{url}</code>
        <CopyButton value={url} what={texts.link}>
          {texts.copyLink}
        </CopyButton>
      </div>
      <p class="quiet">{texts.linkUntil(formats.exact(expiresAt))}</p>
    </Dialog>
  )
}

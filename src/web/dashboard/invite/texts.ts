import { inviteDe } from '../../text/dashboard/invite/de.ts'
import { inviteEn } from '../../text/dashboard/invite/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

type InviteTexts = Translated<typeof inviteEn>

export const useInviteTexts = sectionTexts<InviteTexts>({ en: inviteEn, de: inviteDe })

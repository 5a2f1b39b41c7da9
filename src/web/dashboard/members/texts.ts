import { membersDe } from '../../text/dashboard/members/de.ts'
import { membersEn } from '../../text/dashboard/members/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type MembersTexts = Translated<typeof membersEn>

export const useMembersTexts = sectionTexts<MembersTexts>({ en: membersEn, de: membersDe })

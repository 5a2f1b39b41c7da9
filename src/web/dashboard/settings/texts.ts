import { settingsDe } from '../../text/dashboard/settings/de.ts'
import { settingsEn } from '../../text/dashboard/settings/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type SettingsTexts = Translated<typeof settingsEn>

export const useSettingsTexts = sectionTexts<SettingsTexts>({ en: settingsEn, de: settingsDe })

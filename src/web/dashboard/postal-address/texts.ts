import { postalAddressDe } from '../../text/dashboard/postal-address/de.ts'
import { postalAddressEn } from '../../text/dashboard/postal-address/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type PostalAddressTexts = Translated<typeof postalAddressEn>

export const usePostalAddressTexts = sectionTexts<PostalAddressTexts>({ en: postalAddressEn, de: postalAddressDe })

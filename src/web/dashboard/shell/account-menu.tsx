import type { Session } from '../../api/session.ts'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useReader } from '../../parts/reader.ts'
import type { Preferences, Theme } from './preferences.ts'
import { useTexts } from './texts.ts'

/** Theme, language and sign-out, after the pages of the account. */
export const useAccountItems = (
  session: Session,
  preferences: Preferences,
  pages: readonly MenuItem[] = [],
): readonly MenuItem[] => {
  const { account: texts } = useTexts()
  const { locale } = useReader()
  const themes: readonly (readonly [Theme, string])[] = [
    ['light', texts.light],
    ['dark', texts.dark],
    ['system', texts.system],
  ]
  const signOut = (everywhere: boolean) => {
    preferences.setHadSession(false)
    // The server may not be reached: this browser has forgotten the account already.
    session.signOut(everywhere).catch(() => {})
  }
  return [
    ...pages,
    ...themes
      .filter(([theme]) => theme !== preferences.theme.value)
      .map(([theme, label]) => ({ label, onSelect: () => preferences.setTheme(theme) })),
    {
      label: locale === 'en' ? texts.german : texts.english,
      onSelect: () => preferences.setLocale(locale === 'en' ? 'de' : 'en'),
    },
    { label: texts.signOut, startsGroup: true, onSelect: () => signOut(false) },
    { label: texts.signOutEverywhere, onSelect: () => signOut(true) },
  ]
}

type AccountMenuProps = { readonly email: string; readonly items: readonly MenuItem[] }

export const AccountMenu = ({ email, items }: AccountMenuProps) => {
  const { account: texts } = useTexts()
  return (
    <Menu label={texts.menu(email)} class="avatar" items={items}>
      {/* Drawn by the style sheet: it is a picture, and not the name of the button. */}
      <span data-initials={initialsOf(email)} />
    </Menu>
  )
}

/** `anna.lang@…` is AL. */
const initialsOf = (email: string): string => {
  const [local = ''] = email.split('@')
  const [first = '', second = ''] = local.split(/[^\p{L}\p{N}]+/u).filter(part => part !== '')
  return (first.slice(0, 1) + (second.slice(0, 1) || first.slice(1, 2))).toUpperCase()
}

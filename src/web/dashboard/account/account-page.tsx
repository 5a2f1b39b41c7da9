import { useReader } from '../../parts/reader.ts'
import { PageHead } from '../shell/page-head.tsx'
import type { Preferences, Theme } from '../shell/preferences.ts'
import { Section } from '../shell/record.tsx'
import { useShop } from '../shell/shop.ts'
import { ChangePassword } from './change-password.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import { useAccountTexts } from './texts.ts'

type AccountPageProps = { readonly preferences: Preferences }

/** The own account: how it signs in, where it is signed in, and what this browser keeps for it. */
export const AccountPage = ({ preferences }: AccountPageProps) => {
  const texts = useAccountTexts()
  const { account } = useShop()
  return (
    <>
      <PageHead title={texts.title} lead={account.user.email} />
      <SecondFactor />
      <ChangePassword />
      <Sessions />
      <Appearance preferences={preferences} />
    </>
  )
}

const themes: readonly Theme[] = ['system', 'light', 'dark']

const Appearance = ({ preferences }: AccountPageProps) => {
  const texts = useAccountTexts()
  const { locale } = useReader()
  const languages = [
    ['en', 'English'],
    ['de', 'Deutsch'],
  ] as const
  return (
    <Section title={texts.appearance} aside={texts.appearanceWhat}>
      <div class="choices-row">
        <fieldset>
          <legend class="legend">{texts.language}</legend>
          {languages.map(([code, name]) => (
            <label key={code} class="check" lang={code}>
              <input
                type="radio"
                name="language"
                checked={code === locale}
                onInput={() => preferences.setLocale(code)}
              />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        <fieldset>
          <legend class="legend">{texts.theme}</legend>
          {themes.map(theme => (
            <label key={theme} class="check">
              <input
                type="radio"
                name="theme"
                checked={theme === preferences.theme.value}
                onInput={() => preferences.setTheme(theme)}
              />
              <span>{texts.themes[theme]}</span>
            </label>
          ))}
        </fieldset>
      </div>
    </Section>
  )
}

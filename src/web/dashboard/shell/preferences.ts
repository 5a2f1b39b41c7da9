import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { singleKeys } from '../../parts/shortcut.ts'
import { type Locale, locales } from '../../text/locale.ts'

export type Theme = 'system' | 'light' | 'dark'

/** What this browser keeps: everything else is in the address of the page. */
export type Preferences = {
  readonly theme: ReadonlySignal<Theme>
  readonly locale: ReadonlySignal<Locale>
  /** The shop and mode of the last visit: `mer_…/test`. */
  readonly lastShop: () => string | undefined
  /** Whether someone has signed in before. */
  readonly hadSession: () => boolean
  setTheme(theme: Theme): void
  setLocale(locale: Locale): void
  setSingleKeys(isOn: boolean): void
  setLastShop(shop: string): void
  setHadSession(had: boolean): void
}

const themes: readonly Theme[] = ['system', 'light', 'dark']

/** `locale`: the language that the server has chosen for this browser. */
export const openPreferences = (preferred: Locale): Preferences => {
  const theme = signal<Theme>(themes.find(each => each === read('theme')) ?? 'system')
  const locale = signal<Locale>(locales.find(each => each === read('locale')) ?? preferred)
  singleKeys.value = read('single keys') !== 'off'
  const root = document.documentElement
  effect(() => {
    if (theme.value === 'system') delete root.dataset.theme
    else root.dataset.theme = theme.value
  })
  effect(() => {
    root.lang = locale.value
  })
  return {
    theme,
    locale,
    lastShop: () => read('shop'),
    hadSession: () => read('session') === 'yes',
    setTheme: value => {
      theme.value = value
      write('theme', value)
    },
    setLocale: value => {
      locale.value = value
      write('locale', value)
    },
    setSingleKeys: isOn => {
      singleKeys.value = isOn
      write('single keys', isOn ? 'on' : 'off')
    },
    setLastShop: value => write('shop', value),
    setHadSession: had => write('session', had ? 'yes' : 'no'),
  }
}

/** Browsers can forbid storage: then the preferences are those of a first visit. */
const read = (name: string): string | undefined => {
  try {
    return localStorage.getItem(`paymachine ${name}`) ?? undefined
  } catch {
    return undefined
  }
}

const write = (name: string, value: string): void => {
  try {
    localStorage.setItem(`paymachine ${name}`, value)
  } catch {}
}

import { openBrowserSession } from '../api/session.ts'
import { openPreferences } from './shell/preferences.ts'

// The server has chosen the language of the page.
const preferred = document.documentElement.lang === 'de' ? 'de' : 'en'

export const preferences = openPreferences(preferred)
export const session = openBrowserSession()

// The page starts it too, and shows if it fails.
session.start(preferences.hadSession()).catch(() => {})
// The first format of a time in a browser takes 20 ms and more: here it is made while the application is parsed.
if (preferences.hadSession()) new Intl.DateTimeFormat(preferences.locale.peek(), { hour: 'numeric' }).format()

import { render } from 'preact'
import { openBrowserSession } from '../api/session.ts'
import type { SignUp } from './account/door.tsx'
import { App } from './app.tsx'
import { openPreferences } from './shell/preferences.ts'

const root = document.getElementById('app')
// The server has chosen the language of the page, and knows whether it has accounts.
const preferred = document.documentElement.lang === 'de' ? 'de' : 'en'
const signUp = (['open', 'with_code'] satisfies readonly SignUp[]).find(each => each === document.body.dataset.signup)

if (root) {
  const [session, preferences] = [openBrowserSession(), openPreferences(preferred)]
  // Before the first frame is drawn. The page starts it too, and shows if it fails.
  session.start(preferences.hadSession()).catch(() => {})
  render(<App session={session} preferences={preferences} signUp={signUp ?? 'done'} />, root)
}

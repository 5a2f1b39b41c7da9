import { render } from 'preact'
import { openBrowserSession } from '../api/session.ts'
import { openPreferences } from '../dashboard/shell/preferences.ts'
import { OpsApp } from './app.tsx'

const root = document.getElementById('app')
// The server has chosen the language of the page.
const preferred = document.documentElement.lang === 'de' ? 'de' : 'en'

if (root) render(<OpsApp session={openBrowserSession()} preferences={openPreferences(preferred)} />, root)

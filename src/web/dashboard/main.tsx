import { render } from 'preact'
import type { SignUp } from './account/door.tsx'
import { App } from './app.tsx'
import { preferences, session } from './started.ts'

const root = document.getElementById('app')
// The server knows whether it has accounts.
const signUp = (['open', 'with_code'] satisfies readonly SignUp[]).find(each => each === document.body.dataset.signup)

if (root) render(<App session={session} preferences={preferences} signUp={signUp ?? 'done'} />, root)

import type { ComponentChildren } from 'preact'
import type { Session } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useReader } from '../../parts/reader.ts'
import { PageHead } from '../shell/page-head.tsx'
import type { Preferences } from '../shell/preferences.ts'
import { useTexts } from '../shell/texts.ts'
import { SignInForm } from './sign-in-form.tsx'
import { SignUpForm } from './sign-up-form.tsx'

/** Whether an account can be created: not any more, freely, or with the code that the server has printed. */
export type SignUp = 'done' | 'open' | 'with_code'

type DoorProps = { readonly session: Session; readonly preferences: Preferences; readonly signUp: SignUp }

export const SignInPage = ({ session, preferences, signUp }: DoorProps) => {
  const { door } = useTexts()
  return (
    <DoorFrame preferences={preferences}>
      <PageHead title={door.signIn} lead={door.signInTo(location.host)} />
      <SignInForm session={session} onSignedIn={() => {}} />
      <p class="door__more">{door.forgotten}</p>
      {signUp !== 'done' && (
        <p class="door__more">
          {door.noAccount} <a href="/dashboard/sign-up">{door.signUp}</a>
        </p>
      )}
    </DoorFrame>
  )
}

export const SignUpPage = ({ session, preferences, signUp }: DoorProps) => {
  const { door } = useTexts()
  const toSignIn = (
    <p class="door__more">
      {door.haveAccount} <a href="/dashboard">{door.signIn}</a>
    </p>
  )
  return (
    <DoorFrame preferences={preferences}>
      {signUp === 'done' ? (
        <>
          <PageHead title={door.signUp} />
          <Empty title={door.closed}>{door.closedWhat}</Empty>
        </>
      ) : (
        <>
          <PageHead title={door.signUp} lead={door.signUpWhat} />
          <SignUpForm session={session} needsCode={signUp === 'with_code'} />
        </>
      )}
      {toSignIn}
    </DoorFrame>
  )
}

/** The frame of the pages outside of a shop. */
export const DoorFrame = ({
  preferences,
  children,
}: {
  readonly preferences: Preferences
  readonly children: ComponentChildren
}) => {
  const texts = useTexts()
  const { locale } = useReader()
  const languages = [
    ['en', 'English'],
    ['de', 'Deutsch'],
  ] as const
  return (
    <div class="door">
      <main>
        <span class="shop-mark">
          <Icon name="shop" />
        </span>
        {children}
      </main>
      <footer>
        {languages.map(([code, name]) =>
          code === locale ? (
            <span key={code} lang={code}>
              {name}
            </span>
          ) : (
            <button key={code} type="button" class="link" lang={code} onClick={() => preferences.setLocale(code)}>
              {name}
            </button>
          ),
        )}
        <a class="link" href="/docs">
          {texts.nav.reference}
        </a>
      </footer>
    </div>
  )
}

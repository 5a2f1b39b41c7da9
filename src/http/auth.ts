import { type } from 'arktype'
import { email } from '../access/email.ts'
import { stepUpByCode } from '../commands/mfa.ts'
import { changePassword, stepUpByPassword } from '../commands/passwords.ts'
import { signIn } from '../commands/sign-in.ts'
import { signUp } from '../commands/sign-up.ts'
import { refuse } from '../errors.ts'
import { authMfaRoutes } from './auth-mfa.ts'
import { authSessionRoutes } from './auth-sessions.ts'
import { changePasswordDocs, meDocs, signInDocs, signUpDocs, stepUpDocs } from './docs/auth.ts'
import { fromOf } from './from.ts'
import { forAnybody, forSessions, type Route } from './route.ts'
import { answerSignedIn, describeAccount } from './signed-in.ts'
import { boundedText, givenName } from './text.ts'

/** A new password. For a password that is only checked, the minimum length does not apply. */
export const newPassword = () => boundedText(10, 1000)
const anyPassword = () => boundedText(0, 1000)
const code = () => type('string <= 100')

export const authRoutes: readonly Route[] = [
  forAnybody('POST', {
    path: '/v1/auth/sign-up',
    docs: signUpDocs,
    body: () => type({ email: email(), password: newPassword(), merchantName: givenName(), 'signUpCode?': code() }),
    handle: async (api, call) => {
      const { accountId, tokens } = await signUp(api, call.body, fromOf(call))
      return answerSignedIn(api, 201, accountId, tokens)
    },
  }),

  forAnybody('POST', {
    path: '/v1/auth/sign-in',
    docs: signInDocs,
    body: () => type({ email: email(), password: anyPassword(), 'code?': code() }),
    handle: async (api, call) => {
      const { email, password, code } = call.body
      // A form also sends an empty field.
      const { accountId, tokens } = await signIn(api, { email, password, ...(code && { code }) }, fromOf(call))
      return answerSignedIn(api, 200, accountId, tokens)
    },
  }),

  forSessions('GET', {
    path: '/v1/auth/me',
    docs: meDocs,
    handle: async (api, { session }) => ({ status: 200, body: await describeAccount(api, session.accountId) }),
  }),

  forSessions('POST', {
    path: '/v1/auth/password',
    docs: changePasswordDocs,
    body: () => type({ currentPassword: anyPassword(), newPassword: newPassword() }),
    handle: async (api, call) => {
      await changePassword(api, call.session, call.body, fromOf(call))
      return { status: 204 }
    },
  }),

  forSessions('POST', {
    path: '/v1/auth/step-up',
    docs: stepUpDocs,
    body: () => type({ 'password?': anyPassword(), 'code?': code() }),
    handle: async (api, call) => {
      const { password, code } = call.body
      if (password !== undefined && code !== undefined) refuse('parameter_invalid', { param: 'code' })
      if (password !== undefined) await stepUpByPassword(api, call.session, password, fromOf(call))
      else if (code !== undefined) await stepUpByCode(api, call.session, code, fromOf(call))
      else refuse('parameter_missing', { param: 'password' })
      return { status: 204 }
    },
  }),

  ...authSessionRoutes,
  ...authMfaRoutes,
]

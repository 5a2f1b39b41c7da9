import { type } from 'arktype'
import { beginMfa, confirmMfa, disableMfa, renewRecoveryCodes } from '../commands/mfa.ts'
import { confirmMfaDocs, disableMfaDocs, renewRecoveryCodesDocs, setUpMfaDocs } from './docs/auth.ts'
import { fromOf } from './from.ts'
import { forSessions, type Route } from './route.ts'
import { requireStepUp } from './step-up.ts'

const withCode = () => type({ code: 'string <= 100' })

export const authMfaRoutes: readonly Route[] = [
  forSessions('POST', {
    path: '/v1/auth/mfa/setup',
    docs: setUpMfaDocs,
    handle: async (api, call) => {
      // Otherwise a stolen access token would be enough to set up MFA, and to pass every step-up with its codes.
      await requireStepUp(api, call)
      return { status: 200, body: await beginMfa(api, call.session) }
    },
  }),

  forSessions('POST', {
    path: '/v1/auth/mfa/confirm',
    docs: confirmMfaDocs,
    body: withCode,
    handle: async (api, call) => ({
      status: 200,
      body: { recoveryCodes: await confirmMfa(api, call.session, call.body.code, fromOf(call)) },
    }),
  }),

  forSessions('POST', {
    path: '/v1/auth/mfa/recovery-codes',
    docs: renewRecoveryCodesDocs,
    body: withCode,
    handle: async (api, call) => ({
      status: 200,
      body: { recoveryCodes: await renewRecoveryCodes(api, call.session, call.body.code, fromOf(call)) },
    }),
  }),

  forSessions('POST', {
    path: '/v1/auth/mfa/disable',
    docs: disableMfaDocs,
    body: withCode,
    handle: async (api, call) => {
      await disableMfa(api, call.session, call.body.code, fromOf(call))
      return { status: 204 }
    },
  }),
]

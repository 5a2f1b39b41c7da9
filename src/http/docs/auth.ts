import { type } from 'arktype'
import { listShape, shape } from '../../fields/shape.ts'
import { sessionRecord } from '../../records/session.ts'
import { accountShape, signedInShape } from '../../records/shapes/account.ts'
import type { Docs } from './docs.ts'

const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

const mfaSetupShape = shape({
  name: 'MfaSetup',
  type: () => type({ secret: 'string', otpauthUrl: 'string' }),
  example: { secret, otpauthUrl: `otpauth://totp/paymachine:anna%40lamps.shop?secret=${secret}&issuer=paymachine` },
})

const recoveryCodesShape = shape({
  name: 'RecoveryCodes',
  type: () => type({ recoveryCodes: 'string[]' }),
  example: { recoveryCodes: ['m4k2-7tq9-x1ce', '9wdz-3f0h-kq5r'] },
})

export const signUpDocs: Docs = {
  operation: 'signUp',
  summary: 'Sign up',
  description:
    'Creates an account and a merchant, with the account as its owner, and sets the refresh cookie. By default sign-up is open until the first account exists; the operator of the server can change this. A common password, or one that is derived from the e-mail address, returns `parameter_invalid`.',
  answers: { 201: signedInShape },
  refusals: ['sign_up_closed', 'email_taken', 'rate_limited'],
  example: { email: 'anna@lamps.shop', password: 'correct horse battery', merchantName: 'Lamps' },
}

export const signInDocs: Docs = {
  operation: 'signIn',
  summary: 'Sign in',
  description:
    'Returns an access token and sets the refresh cookie. If MFA is on and `code` is missing, returns `mfa_required`.\n\nAt most 5 password checks per minute are allowed for each IP address (IPv6: /64 network). At most 5 per minute are allowed for each account from all addresses together from which it has not signed in within the last 30 days. Above that, returns 429.',
  answers: { 200: signedInShape },
  refusals: ['invalid_credentials', 'mfa_required', 'invalid_mfa_code', 'rate_limited'],
  example: { email: 'anna@lamps.shop', password: 'correct horse battery' },
}

export const meDocs: Docs = {
  operation: 'getAccount',
  summary: 'Retrieve the account',
  answers: { 200: accountShape },
}

export const changePasswordDocs: Docs = {
  operation: 'changePassword',
  summary: 'Change the password',
  description:
    'Ends all other sessions of the account. A common password, or one that is derived from the e-mail address, returns `parameter_invalid`.',
  answers: { 204: null },
  refusals: ['invalid_credentials', 'rate_limited'],
  example: { currentPassword: 'correct horse battery', newPassword: 'a longer horse battery' },
}

export const stepUpDocs: Docs = {
  operation: 'stepUp',
  summary: 'Confirm the identity (step-up)',
  description:
    'Allows this session to make sensitive changes for 5 minutes. Send either `password` or `code`. A sign-in has the same effect; a refresh of the access token does not.',
  answers: { 204: null },
  refusals: ['parameter_missing', 'invalid_credentials', 'invalid_mfa_code', 'rate_limited'],
  example: { password: 'correct horse battery' },
}

const ownSessionShape = shape({
  name: 'OwnSession',
  type: () => type({ signedIn: 'boolean' }),
  example: { signedIn: true },
})

export const findOwnSessionDocs: Docs = {
  operation: 'findOwnSession',
  summary: 'Check whether the browser has a session',
  description:
    'Checks the refresh cookie and does not replace it. Use it when a page loads: without a session, `POST /v1/auth/refresh` returns 401, and browsers log that as an error.',
  answers: { 200: ownSessionShape },
}

export const refreshDocs: Docs = {
  operation: 'refreshSession',
  summary: 'Refresh the access token',
  description:
    'Uses the refresh cookie and replaces it. Returns the account as well, so that a page that loads needs one request. For 10 seconds the previous cookie gets the same response, so that parallel and repeated requests succeed. A replaced cookie that is used later ends the session. A session ends after 30 days without a refresh.',
  answers: { 200: signedInShape },
  refusals: ['invalid_token'],
  callers: ['refreshCookie'],
}

export const signOutDocs: Docs = {
  operation: 'signOut',
  summary: 'Sign out',
  description:
    'Ends the session of the access token, or of the refresh cookie if the access token is missing or has expired.',
  answers: { 204: null },
  refusals: ['invalid_token'],
  callers: ['session', 'refreshCookie'],
  example: { everywhere: false },
}

export const listSessionsDocs: Docs = {
  operation: 'listSessions',
  summary: 'List sessions',
  answers: { 200: listShape(sessionRecord) },
}

export const endSessionDocs: Docs = {
  operation: 'endSession',
  summary: 'End a session',
  answers: { 204: null },
}

export const setUpMfaDocs: Docs = {
  operation: 'setUpMfa',
  summary: 'Set up MFA',
  description:
    'Creates a secret for an authenticator app. MFA is off until a code is confirmed. Requires a sign-in or a `POST /v1/auth/step-up` within the last 5 minutes.',
  answers: { 200: mfaSetupShape },
  refusals: ['step_up_required', 'state_conflict'],
}

export const confirmMfaDocs: Docs = {
  operation: 'confirmMfa',
  summary: 'Turn MFA on',
  description:
    'Confirms a code of the authenticator app. Returns recovery codes, which are shown only in this response.',
  answers: { 200: recoveryCodesShape },
  refusals: ['state_conflict', 'invalid_mfa_code'],
  example: { code: '492039' },
}

export const renewRecoveryCodesDocs: Docs = {
  operation: 'renewRecoveryCodes',
  summary: 'Replace the recovery codes',
  description:
    'Returns new recovery codes, which are shown only in this response. The old ones are no longer accepted. Takes a code of the authenticator app or one of the old recovery codes.',
  answers: { 200: recoveryCodesShape },
  refusals: ['state_conflict', 'invalid_mfa_code'],
  example: { code: '492039' },
}

export const disableMfaDocs: Docs = {
  operation: 'disableMfa',
  summary: 'Turn MFA off',
  answers: { 204: null },
  refusals: ['state_conflict', 'invalid_mfa_code'],
  example: { code: '492039' },
}

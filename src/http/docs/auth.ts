import { type } from 'arktype'
import { accountShape, sessionShape, signedInShape, tokensShape } from '../../records/shapes/people.ts'
import { listShape, shape } from '../../records/shapes/shape.ts'
import type { Docs } from '../openapi/docs.ts'

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

export const signUp: Docs = {
  operation: 'signUp',
  summary: 'Make an account and a merchant',
  description:
    'The account owns the merchant. Sign-up is open until the first account exists, unless the operator says otherwise. A password that is common, or made from the e-mail address, is refused with `parameter_invalid`. Sets the refresh cookie.',
  answers: { 201: signedInShape },
  refusals: ['sign_up_closed', 'email_taken', 'rate_limited'],
  example: { email: 'anna@lamps.shop', password: 'correct horse battery', merchantName: 'Lamps' },
}

export const signIn: Docs = {
  operation: 'signIn',
  summary: 'Sign in',
  description:
    'With MFA on and no `code` it answers `mfa_required`. An address (IPv6 by /64) has five password checks in a sliding minute, and so has an account for all addresses together that it has not signed in from within 30 days. Sets the refresh cookie.',
  answers: { 200: signedInShape },
  refusals: ['invalid_credentials', 'mfa_required', 'invalid_mfa_code', 'rate_limited'],
  example: { email: 'anna@lamps.shop', password: 'correct horse battery' },
}

export const me: Docs = {
  operation: 'getAccount',
  summary: 'Read who is signed in',
  answers: { 200: accountShape },
}

export const changePassword: Docs = {
  operation: 'changePassword',
  summary: 'Change the password',
  description:
    'Ends every other session of the account. A password that is common, or made from the e-mail address, is refused with `parameter_invalid`.',
  answers: { 204: null },
  refusals: ['invalid_credentials', 'rate_limited'],
  example: { currentPassword: 'correct horse battery', newPassword: 'a longer horse battery' },
}

export const stepUp: Docs = {
  operation: 'stepUp',
  summary: 'Prove again who is there',
  description: 'Opens sensitive changes to this session for five minutes. Send the password or a code, one of the two.',
  answers: { 204: null },
  refusals: ['parameter_missing', 'invalid_credentials', 'invalid_mfa_code', 'rate_limited'],
  example: { password: 'correct horse battery' },
}

const ownSessionShape = shape({
  name: 'OwnSession',
  type: () => type({ signedIn: 'boolean' }),
  example: { signedIn: true },
})

export const findOwnSession: Docs = {
  operation: 'findOwnSession',
  summary: 'See whether a browser is signed in',
  description:
    'By the refresh cookie, which is not used up. A page asks this when it is opened: without a session `POST /v1/auth/refresh` answers 401, which browsers report as an error of the page.',
  answers: { 200: ownSessionShape },
}

export const refresh: Docs = {
  operation: 'refreshSession',
  summary: 'Get another access token',
  description:
    'By the refresh cookie, which is replaced. For ten seconds the last one before it gets the same answer; shown later, it ends the session.',
  answers: { 200: tokensShape },
  refusals: ['invalid_token'],
  callers: ['refreshCookie'],
}

export const signOut: Docs = {
  operation: 'signOut',
  summary: 'Sign out',
  description: 'By the access token, or by the refresh cookie where that is missing or over.',
  answers: { 204: null },
  refusals: ['invalid_token'],
  callers: ['session', 'refreshCookie'],
  example: { everywhere: false },
}

export const listSessions: Docs = {
  operation: 'listSessions',
  summary: 'List where the account is signed in',
  answers: { 200: listShape(sessionShape) },
}

export const endSession: Docs = {
  operation: 'endSession',
  summary: 'End a session',
  answers: { 204: null },
}

export const setUpMfa: Docs = {
  operation: 'setUpMfa',
  summary: 'Begin to protect the account with codes',
  description: 'Needs a password or a code within the last five minutes.',
  answers: { 200: mfaSetupShape },
  refusals: ['step_up_required', 'state_conflict'],
}

export const confirmMfa: Docs = {
  operation: 'confirmMfa',
  summary: 'Turn codes on',
  answers: { 200: recoveryCodesShape },
  refusals: ['state_conflict', 'invalid_mfa_code'],
  example: { code: '492039' },
}

export const disableMfa: Docs = {
  operation: 'disableMfa',
  summary: 'Turn codes off',
  answers: { 204: null },
  refusals: ['state_conflict', 'invalid_mfa_code'],
  example: { code: '492039' },
}

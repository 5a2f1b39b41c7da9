import { createHash, timingSafeEqual } from 'node:crypto'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import { hasAccounts, insertAccount } from '../queries/accounts.ts'
import type { AccountContext } from './account-context.ts'
import { type Checked, takeCounted } from './password-checks.ts'
import { requireUnguessable } from './passwords.ts'
import { draftSession, issueTokens, type Tokens } from './sessions.ts'

export type SignUpRequest = {
  readonly email: string
  readonly password: string
  readonly merchantName: string
  readonly signUpCode?: string
}

export type SignedUp = { readonly accountId: string; readonly merchantId: string; readonly tokens: Tokens }

export const signUp = async (
  context: Omit<AccountContext, 'sessions'>,
  wanted: SignUpRequest,
  from: Checked,
): Promise<SignedUp> => {
  const { email, password, merchantName, signUpCode } = wanted
  const mode = context.settings.signUp ?? 'first'
  if (mode === 'closed') refuse('sign_up_closed')
  requireUnguessable(password, email, 'password')
  // `email_taken` shows that an account exists, so the number of requests is limited.
  await takeCounted(context, from, { subjects: () => [`sign-up:${from.network}`], limit: { allowed: 30, seconds: 60 } })
  // Checked before the password is hashed, which is expensive; the statement checks it again.
  if (mode === 'first' && (await hasAccounts(context.sql))) refuse('sign_up_closed')

  const accountId = uuidv7(context.clock.now(), context.random)
  const merchantId = uuidv7(context.clock.now(), context.random)
  const passwordHash = await context.passwords.hash(from.site, password)
  const isCodeAccepted = isCode(signUpCode, context.settings.signUpCode)
  const [session, token] = draftSession(context, accountId, from)
  const done = await insertAccount(
    context.sql,
    { mode, isCodeAccepted, accountId, email, passwordHash, merchantId, merchantName },
    session,
  )
  if (done?.outcome === 'email_taken') refuse('email_taken')
  if (done?.outcome !== 'signed_up') return refuse('sign_up_closed')
  return { accountId, merchantId, tokens: await issueTokens(context, accountId, token, done.now) }
}

/** Whether the code is right, or no code is required. */
const isCode = (given = '', wanted: string | null): boolean =>
  wanted === null || timingSafeEqual(digest(given.trim()), digest(wanted))

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest()

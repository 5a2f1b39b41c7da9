import { createHash, timingSafeEqual } from 'node:crypto'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import { hasAccounts, signUp as insertAccount } from '../queries/accounts.ts'
import type { AccountContext } from './account-context.ts'
import { type Checked, takeCounted } from './password-checks.ts'
import { requireUnguessable } from './passwords.ts'
import { draftSession, issueTokens, type Tokens } from './sessions.ts'

export type SignUp = {
  readonly email: string
  readonly password: string
  readonly merchantName: string
  readonly signUpCode?: string
}

export type SignedUp = { readonly accountId: string; readonly merchantId: string; readonly tokens: Tokens }

export const signUp = async (
  context: Omit<AccountContext, 'sessions'>,
  wanted: SignUp,
  from: Checked,
): Promise<SignedUp> => {
  const { email, password, merchantName, signUpCode } = wanted
  const mode = context.settings.signUp ?? 'first'
  if (mode === 'closed') refuse('sign_up_closed')
  requireUnguessable(password, email, 'password')
  // An answer of `email_taken` tells who has an account: nobody is to ask for many.
  await takeCounted(context, from, { subjects: () => [`sign-up:${from.network}`], limit: { allowed: 30, seconds: 60 } })
  // Seen before the password is hashed, which costs more; the statement looks again.
  if (mode === 'first' && (await hasAccounts(context.sql))) refuse('sign_up_closed')

  const accountId = uuidv7(context.clock.now(), context.random)
  const merchantId = uuidv7(context.clock.now(), context.random)
  const passwordHash = await context.passwords.hash(from.site, password)
  const codeShown = isCode(signUpCode, context.settings.signUpCode)
  const [session, token] = draftSession(context, accountId, from)
  const done = await insertAccount(
    context.sql,
    { mode, codeShown, accountId, email, passwordHash, merchantId, merchantName },
    session,
  )
  if (done?.outcome === 'email_taken') refuse('email_taken')
  if (done?.outcome !== 'signed_up') return refuse('sign_up_closed')
  return { accountId, merchantId, tokens: await issueTokens(context, accountId, token, done.now) }
}

/** Whether the code is the one that was asked for, if one was. */
const isCode = (given = '', wanted: string | null): boolean =>
  wanted === null || timingSafeEqual(digest(given.trim()), digest(wanted))

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest()

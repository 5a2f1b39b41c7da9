import { type } from 'arktype'
import { email as emailType } from '../access/email.ts'
import { isGuessable } from '../access/guessable.ts'
import { GUESSABLE } from '../commands/passwords.ts'
import { newPassword } from '../http/auth.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import { StartError } from '../process/start-error.ts'
import { type Account, createAccount, findAccountByEmail, updatePassword } from '../queries/accounts.ts'
import { turnOffMfa } from '../queries/mfa.ts'
import { recordSessionsRead } from '../queries/security-events.ts'
import { endSessions, listSessions } from '../queries/sessions.ts'
import { type AdminServices, command, operator } from './command.ts'

const email = { value: 'address' } as const
/** A flag, because an argument would show the password in the process list and in the history of the shell. */
const passwordInput = { optional: true } as const

export const accountCommands = [
  command({
    name: 'create-account',
    does: 'creates an account; the password is generated, or read from standard input',
    options: { email, 'password-stdin': passwordInput },
    run: async (services, given) => {
      const id = uuidv7(services.clock.now(), services.random)
      const address = readEmail(given.email)
      const password = await choosePassword(services, address, given['password-stdin'])
      const passwordHash = await services.passwords.hash('operator', password.text)
      if (!(await createAccount(services.sql, { id, email: address, passwordHash }, operator)))
        throw new StartError(`An account with the e-mail address ${address} already exists`)
      services.print(`Created account ${encodeId('usr', id)} for ${address}`)
      password.show()
    },
  }),

  command({
    name: 'reset-password',
    does: 'sets a new password for an account and ends its sessions',
    options: { email, 'password-stdin': passwordInput },
    run: async (services, given) => {
      const account = await getAccountByEmail(services, given.email)
      const password = await choosePassword(services, account.email, given['password-stdin'])
      const newHash = await services.passwords.hash('operator', password.text)
      await updatePassword(
        services.sql,
        { accountId: account.id, knownHash: null, newHash, exceptSession: null },
        operator,
      )
      services.print(`${account.email} has a new password and must sign in again`)
      password.show()
    },
  }),

  command({
    name: 'reset-mfa',
    does: 'turns MFA off for an account',
    options: { email },
    run: async (services, given) => {
      const account = await getAccountByEmail(services, given.email)
      const wasOn = await turnOffMfa(services.sql, account.id, operator)
      services.print(
        wasOn
          ? `MFA is off for ${account.email}: the account signs in with its password only`
          : `${account.email} has no MFA`,
      )
    },
  }),

  command({
    name: 'sessions',
    does: 'lists the sessions of an account',
    options: { email },
    run: async (services, given) => {
      const account = await getAccountByEmail(services, given.email)
      await recordSessionsRead(services.sql, account.id, operator)
      const sessions = await listSessions(services.sql, account.id)
      if (sessions.length === 0) services.print(`${account.email} has no sessions`)
      for (const { address, user_agent, created_at, last_used_at } of sessions)
        services.print(
          `${address}, since ${timeOf(created_at)}, last used ${timeOf(last_used_at)}, ${printable(user_agent)}`,
        )
    },
  }),

  command({
    name: 'end-sessions',
    does: 'ends all sessions of an account',
    options: { email },
    run: async (services, given) => {
      const account = await getAccountByEmail(services, given.email)
      const ended = await endSessions(services.sql, { accountId: account.id }, operator)
      services.print(`Ended ${ended} ${ended === 1 ? 'session' : 'sessions'} of ${account.email}`)
    },
  }),
]

export const getAccountByEmail = async ({ sql }: AdminServices, given: string): Promise<Account> => {
  const address = readEmail(given)
  const account = await findAccountByEmail(sql, address)
  if (!account) throw new StartError(`There is no account with the e-mail address ${address}`)
  return account
}

const readEmail = (given: string): string => {
  const address = emailType()(given)
  if (address instanceof type.errors) throw new StartError('--email must be an e-mail address')
  return address
}

/** The password from standard input, or a generated one that is shown after it was stored. */
const choosePassword = async (
  { readInput, random, print }: AdminServices,
  email: string,
  fromInput: string | undefined,
) => {
  if (fromInput === undefined) {
    const text = Buffer.from(random(new Uint8Array(15))).toString('base64url')
    return { text, show: () => print(`The password is ${text} (it is shown only once)`) }
  }
  const text = (await readInput()).replace(/\r?\n$/, '')
  if (!newPassword().allows(text)) throw new StartError('The password must have 10 to 1000 characters')
  if (isGuessable(text, email)) throw new StartError(GUESSABLE)
  return { text, show: () => {} }
}

const timeOf = (at: Date): string => at.toISOString()

/** The text comes from the client: control characters must not reach the terminal. */
const printable = (text: string | null): string => (text ?? 'unknown').replace(/[^\x20-\x7e]/g, '?')

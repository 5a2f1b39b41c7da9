import { type } from 'arktype'
import { email as emailType } from '../access/email.ts'
import { isGuessable } from '../access/guessable.ts'
import { GUESSABLE } from '../commands/passwords.ts'
import { newPassword } from '../http/auth.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import { type Account, changePassword, createAccount, findAccountByEmail } from '../queries/accounts.ts'
import { disableMfa } from '../queries/mfa.ts'
import { recordSessionsRead } from '../queries/security-events.ts'
import { endSessions, listSessions } from '../queries/sessions.ts'
import { StartError } from '../start-error.ts'
import { command, type Desk, operator } from './command.ts'

const email = { value: 'address' } as const
/** A flag: a password among the arguments would be in the list of processes and in the shell's history. */
const passwordInput = { optional: true } as const

export const accountCommands = [
  command({
    name: 'create-account',
    does: 'makes an account; its password is generated, or read from standard input',
    options: { email, 'password-stdin': passwordInput },
    run: async (desk, given) => {
      const id = uuidv7(desk.clock.now(), desk.random)
      const address = readEmail(given.email)
      const password = await choosePassword(desk, address, given['password-stdin'])
      const passwordHash = await desk.passwords.hash('operator', password.text)
      if (!(await createAccount(desk.sql, { id, email: address, passwordHash }, operator)))
        throw new StartError(`There is an account of ${address} already`)
      desk.say(`Made ${encodeId('usr', id)} for ${address}`)
      password.show()
    },
  }),

  command({
    name: 'reset-password',
    does: 'gives an account another password and ends its sessions',
    options: { email, 'password-stdin': passwordInput },
    run: async (desk, given) => {
      const account = await getAccount(desk, given.email)
      const password = await choosePassword(desk, account.email, given['password-stdin'])
      const newHash = await desk.passwords.hash('operator', password.text)
      await changePassword(desk.sql, { accountId: account.id, knownHash: null, newHash, butOne: null }, operator)
      desk.say(`${account.email} has another password, and has to sign in again`)
      password.show()
    },
  }),

  command({
    name: 'reset-mfa',
    does: 'turns the second factor of an account off',
    options: { email },
    run: async (desk, given) => {
      const account = await getAccount(desk, given.email)
      const wasOn = await disableMfa(desk.sql, account.id, operator)
      desk.say(wasOn ? `${account.email} signs in with the password alone now` : `${account.email} has no MFA`)
    },
  }),

  command({
    name: 'sessions',
    does: 'lists where an account is signed in',
    options: { email },
    run: async (desk, given) => {
      const account = await getAccount(desk, given.email)
      await recordSessionsRead(desk.sql, account.id, operator)
      const sessions = await listSessions(desk.sql, account.id)
      if (sessions.length === 0) desk.say(`${account.email} is signed in nowhere`)
      for (const { address, user_agent, created_at, last_used_at } of sessions)
        desk.say(`${address}, since ${timeOf(created_at)}, last seen ${timeOf(last_used_at)}, ${plain(user_agent)}`)
    },
  }),

  command({
    name: 'end-sessions',
    does: 'signs an account out everywhere',
    options: { email },
    run: async (desk, given) => {
      const account = await getAccount(desk, given.email)
      const ended = await endSessions(desk.sql, { accountId: account.id }, operator)
      desk.say(`Ended ${ended} ${ended === 1 ? 'session' : 'sessions'} of ${account.email}`)
    },
  }),
]

export const getAccount = async ({ sql }: Desk, given: string): Promise<Account> => {
  const address = readEmail(given)
  const account = await findAccountByEmail(sql, address)
  if (!account) throw new StartError(`There is no account of ${address}`)
  return account
}

const readEmail = (given: string): string => {
  const address = emailType()(given)
  if (address instanceof type.errors) throw new StartError('--email is no e-mail address')
  return address
}

/** The operator's own, or one that is shown when it has been kept. */
const choosePassword = async ({ readInput, random, say }: Desk, email: string, fromInput: string | undefined) => {
  if (fromInput === undefined) {
    const text = Buffer.from(random(new Uint8Array(15))).toString('base64url')
    return { text, show: () => say(`The password is ${text} and is shown only now`) }
  }
  const text = (await readInput()).replace(/\r?\n$/, '')
  if (!newPassword().allows(text)) throw new StartError('A password has 10 to 1000 characters')
  if (isGuessable(text, email)) throw new StartError(GUESSABLE)
  return { text, show: () => {} }
}

const timeOf = (at: Date): string => at.toISOString()

/** Whoever signed in has written it: nothing of it may move the cursor of a terminal. */
const plain = (text: string | null): string => (text ?? 'unknown').replace(/[^\x20-\x7e]/g, '?')

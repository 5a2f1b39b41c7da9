import { getAccount } from '../commands/passwords.ts'
import type { Tokens } from '../commands/sessions.ts'
import { listMemberships } from '../queries/merchants.ts'
import { accountRecord } from '../records/account.ts'
import type { Api } from './api.ts'
import type { Answer } from './route.ts'

/** The response to a sign-up, a sign-in, an accepted invite, and a refresh. */
export const answerSignedIn = async (
  api: Api,
  status: 200 | 201,
  accountId: string,
  { accessToken, expiresIn, cookie }: Tokens,
): Promise<Answer> => ({
  status,
  body: { accessToken, expiresIn, ...(await describeAccount(api, accountId)) },
  headers: { 'set-cookie': cookie },
})

/** The account with the merchants that it may act for. */
export const describeAccount = async (api: Api, accountId: string) => {
  const [account, memberships] = await Promise.all([getAccount(api, accountId), listMemberships(api.sql, accountId)])
  return accountRecord(account, memberships)
}

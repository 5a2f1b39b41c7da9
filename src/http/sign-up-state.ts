import type { SignUpState } from '../pages/sign-up-state.ts'
import { hasAccounts } from '../queries/accounts.ts'
import type { Api } from './api.ts'

type Found = { readonly isEmpty: boolean; readonly signUp: SignUpState }

/** Whether the server has accounts, and whether one more can be created. Only the first one needs the code. */
export const readSignUpState = async ({ sql, settings }: Api): Promise<Found> => {
  const { signUp = 'first', signUpCode } = settings
  const isEmpty = !(await hasAccounts(sql))
  if (signUp === 'closed' || (signUp === 'first' && !isEmpty)) return { isEmpty, signUp: 'done' }
  return { isEmpty, signUp: isEmpty && signUpCode !== null ? 'with_code' : 'open' }
}

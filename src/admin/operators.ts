import { listOperators, setOperator } from '../queries/accounts.ts'
import { getAccountByEmail } from './accounts.ts'
import { command, operator } from './command.ts'

const email = { value: 'address', positional: true } as const

/** Accounts that may use the pages of the operator. */
export const operatorCommands = [
  command({
    name: 'operator add',
    does: 'makes an account an operator of the server',
    options: { email },
    run: async (desk, given) => {
      const account = await getAccountByEmail(desk, given.email)
      const isNews = await setOperator(desk.sql, account.id, true, operator)
      desk.print(isNews ? `${account.email} is an operator now` : `${account.email} is an operator already`)
    },
  }),

  command({
    name: 'operator remove',
    does: 'ends that an account is an operator',
    options: { email },
    run: async (desk, given) => {
      const account = await getAccountByEmail(desk, given.email)
      const isNews = await setOperator(desk.sql, account.id, false, operator)
      desk.print(isNews ? `${account.email} is no operator any more` : `${account.email} is no operator`)
    },
  }),

  command({
    name: 'operator list',
    does: 'lists the operators of the server',
    options: {},
    run: async desk => {
      const operators = await listOperators(desk.sql)
      if (operators.length === 0) desk.print('There is no operator: add one with operator add')
      for (const { email, mfa_enabled_at } of operators) desk.print(`${email}, MFA ${mfa_enabled_at ? 'on' : 'off'}`)
    },
  }),
]

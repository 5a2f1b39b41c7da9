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
    run: async (services, given) => {
      const account = await getAccountByEmail(services, given.email)
      const isNews = await setOperator(services.sql, account.id, true, operator)
      services.print(isNews ? `${account.email} is an operator now` : `${account.email} is an operator already`)
    },
  }),

  command({
    name: 'operator remove',
    does: 'ends that an account is an operator',
    options: { email },
    run: async (services, given) => {
      const account = await getAccountByEmail(services, given.email)
      const isNews = await setOperator(services.sql, account.id, false, operator)
      services.print(isNews ? `${account.email} is no operator any more` : `${account.email} is no operator`)
    },
  }),

  command({
    name: 'operator list',
    does: 'lists the operators of the server',
    options: {},
    run: async services => {
      const operators = await listOperators(services.sql)
      if (operators.length === 0) services.print('There is no operator: add one with operator add')
      for (const { email, mfa_enabled_at } of operators)
        services.print(`${email}, MFA ${mfa_enabled_at ? 'on' : 'off'}`)
    },
  }),
]

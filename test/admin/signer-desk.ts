import * as program from '../../src/admin/admin.ts'
import { encodeId } from '../../src/ids.ts'
import { insertMerchant } from '../access/keys.ts'
import { anvil } from '../harness/anvil.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { database } from '../harness/database.ts'

export const BASE = '8453'

/** The operator's commands with a database and a node of their own. */
export const signerDesk = async ({ mining = 'auto' as 'auto' | 'none' } = {}) => {
  await using starting = new AsyncDisposableStack()
  const db = starting.use(await database())
  const node = starting.use(await anvil({ mining, args: ['--chain-id', BASE] }))
  const merchantId = await insertMerchant(db.sql)
  const rest = starting.move()
  const variables = { DATABASE_URL: db.url, SECRET_KEY, RPC_URLS_8453: node.url }
  const merchant = encodeId('mer', merchantId)
  return {
    ...{ db, node, merchant, merchantId },
    run: async (text: string, input = '', more: Readonly<Record<string, string>> = {}) => {
      const output: string[] = []
      const errors: string[] = []
      const args = text.replaceAll('MER', merchant).split(' ')
      const code = await program.admin(args, {
        variables: { ...variables, ...more },
        print: line => void output.push(line),
        printError: what => void errors.push(String(what)),
        readInput: async () => input,
      })
      return { code, output: output.join('\n'), errors: errors.join('\n') }
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

import { audit } from '../../../src/audit/audit.ts'
import { kinds } from '../../../src/kinds/all.ts'
import type { ApiServer } from '../../harness/api.ts'
import type { TestChain } from './test-node.ts'

type Parts = {
  readonly chain: TestChain
  readonly server: ApiServer
  readonly confirmations: number
  readonly read: () => Promise<unknown>
}

/** What every fixture of a watched chain does after its tests. */
export const endOf = ({ chain, server, confirmations, read }: Parts) => ({
  head: async () => Number(await chain.rpc<string>('eth_blockNumber')),
  /** Called after each test: makes everything final, so that no transfer of the test can change any more. */
  rest: async () => {
    await chain.mine(confirmations)
    await read()
  },
  audit: () => audit(server.sql, kinds),
  [Symbol.asyncDispose]: async () => {
    await chain[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  },
})

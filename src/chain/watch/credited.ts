import type { Sql } from '../../postgres/connect.ts'
import { oursAmong, type TransferLog } from './books.ts'
import type { TokenRiseSource } from './token-rise.ts'

/**
 * The logs that become final, without those of tokens whose issuer is not known and whose balances do not bear them out:
 * of such a token anything can be told. Undefined while two nodes do not agree on that.
 */
export const creditedOf = async (
  sql: Sql,
  { uncheckedTokens = [] }: { readonly uncheckedTokens?: readonly string[] },
  source: TokenRiseSource,
  logs: readonly TransferLog[],
): Promise<readonly TransferLog[] | undefined> => {
  const doubtful = logs.filter(({ token }) => token !== null && uncheckedTokens.includes(token))
  const ours = await oursAmong(sql, doubtful)
  if (ours.length === 0) return logs
  const lies = new Set<TransferLog>()
  for (const [, together] of Map.groupBy(ours, ({ blockHash, token, to }) => `${blockHash} ${token} ${to}`)) {
    const [first] = together
    if (!first?.token) continue
    const { token, to, blockNumber: number, blockHash: hash } = first
    const rise = await source.tokenRise(token, to, { number, hash })
    if (rise === undefined) return undefined
    const left = doubtful.filter(log => log.blockHash === hash && log.token === token && log.from === to)
    const sum = totalOf(together) - totalOf(left)
    if (rise < sum) for (const log of together) lies.add(log)
  }
  return logs.filter(log => !lies.has(log))
}

const totalOf = (logs: readonly TransferLog[]): bigint => logs.reduce((sum, { amount }) => sum + amount, 0n)

import { connect } from './connect.ts'

type ActorPoolsOptions = { readonly max?: number; readonly answerS?: number | undefined }

/** The actors' connections: a pool, and beside it the one on which commits may follow each other; see tandem.ts. */
export const openActorPools = (url: string, { max = 8, answerS }: ActorPoolsOptions = {}) => {
  const both = { name: 'paymachine actors', byKey: true, answerS }
  const sql = connect(url, { ...both, max: max - 1 })
  const tandem = connect(url, { ...both, max: 1, followed: true })
  const end = async (timeout: number): Promise<void> => {
    await Promise.all([sql, tandem].map(pool => pool.end({ timeout })))
  }
  return { sql, tandem, end }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { readFeed } from '../../src/actors/feed.ts'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'

export type Followed = { readonly actor: string; readonly rev: number }

/** Reads the feed from its beginning during the whole run, and reconnects when its connection fails. */
export const followFeed = (url: string) => {
  const sql = connect(url, { max: 1, name: 'torture feed', answerS: 2 })
  const seen: Followed[] = []
  let cursor: string | null = null
  let over = false
  const following = (async () => {
    while (!over) {
      try {
        const page = await readFeed(sql, cursor, 500)
        for (const { actor, rev } of page) seen.push({ actor, rev })
        cursor = page.at(-1)?.cursor ?? cursor
        if (page.length === 0) await sleep(30)
      } catch {
        await sleep(50)
      }
    }
  })()
  return {
    seen: seen as readonly Followed[],
    /** Waits until it has read this many entries, or times out. */
    end: async (entries: number): Promise<void> => {
      await until(() => seen.length >= entries, { timeoutMs: 30_000, what: 'the feed' }).catch(() => {})
      over = true
      await following
      await sql.end({ timeout: 1 })
    },
  }
}

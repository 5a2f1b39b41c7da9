import { setTimeout as sleep } from 'node:timers/promises'
import { getHead } from '../../src/sandbox/node-client.ts'

/** How often the node is asked: several times between two blocks. */
const EVERY_MS = 50

/** Notes how far the chain has got, and when, for as long as the run lasts. */
export const watchHeads = (url: string) => {
  const seen: { readonly askedAt: number; readonly number: number }[] = []
  let over = false
  const watching = (async () => {
    while (!over) {
      const askedAt = Date.now()
      // The node may stand still for a while.
      const head = await getHead(url).catch(() => undefined)
      if (head && head.number !== seen.at(-1)?.number) seen.push({ askedAt, number: head.number })
      else if (head) seen[seen.length - 1] = { askedAt, number: head.number }
      await sleep(EVERY_MS)
    }
  })()
  return {
    /** The number of the highest block that there can have been at a time; undefined where nothing was noted after it. */
    atMost: (at: Date): number | undefined => seen.find(({ askedAt }) => askedAt >= at.getTime())?.number,
    [Symbol.asyncDispose]: async () => {
      over = true
      await watching
    },
  }
}

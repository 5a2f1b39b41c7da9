import { setTimeout as sleep } from 'node:timers/promises'
import { getHead } from '../../src/sandbox/node-client.ts'

/** How often the node is polled: several times between two blocks. */
const EVERY_MS = 50

/** Records the head of the chain with its time, during the whole run. */
export const watchHeads = (url: string) => {
  const seen: { readonly askedAt: number; readonly number: number }[] = []
  let over = false
  const watching = (async () => {
    while (!over) {
      const askedAt = Date.now()
      // The node may be frozen for a while.
      const head = await getHead(url).catch(() => undefined)
      if (head && head.number !== seen.at(-1)?.number) seen.push({ askedAt, number: head.number })
      else if (head) seen[seen.length - 1] = { askedAt, number: head.number }
      await sleep(EVERY_MS)
    }
  })()
  return {
    /** The highest possible block number at a time; undefined where no head was recorded after it. */
    atMost: (at: Date): number | undefined => seen.find(({ askedAt }) => askedAt >= at.getTime())?.number,
    [Symbol.asyncDispose]: async () => {
      over = true
      await watching
    },
  }
}

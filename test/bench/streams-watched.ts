import type { StreamPage } from './streams-browser.ts'
import type { History } from './streams-compare.ts'

/** An event stream that follows the feed, and the page that shows it. */
export type WatchedStream = {
  /** In the lines of promises. */
  readonly name: string
  readonly path: string
  /** Its messages of the whole path of a payment. */
  readonly changesOfPayment: number
  readonly history: History
  readonly page: WatchedPage
}

export type WatchedPage = {
  readonly name: string
  open(): Promise<StreamPage>
  /** What the number of its requests is compared with, after a position. */
  readonly changesAfter?: (after: string) => Promise<number>
}

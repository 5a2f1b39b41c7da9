import { assign, fromCallback, fromPromise, raise, setup } from 'xstate'
import type { StreamEvent } from './stream.ts'

export type PageEvent =
  | StreamEvent
  | { readonly type: 'refresh' }
  | { readonly type: 'final' }
  | { readonly type: 'leave' }
  | { readonly type: 'return' }

type PageContext = {
  /** Attempts to connect since the stream was last open. */
  readonly attempts: number
  /** The wait that the server has asked for. */
  readonly retryMs: number | undefined
  /** Something has changed since the page was asked for. */
  readonly hasChanged: boolean
}

/** Longer waits after each failed attempt: a server that restarts is not called by all pages at once. */
const SHORTEST_MS = 500
const LONGEST_MS = 30_000

export const backoffMs = (
  { attempts, retryMs }: Pick<PageContext, 'attempts' | 'retryMs'>,
  random = Math.random,
): number =>
  Math.max(retryMs ?? 0, Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.min(attempts, 10)) * (0.5 + random() / 2))

/**
 * Follows a payment: one region keeps the event stream open, one fetches the page when something has changed, and one shows
 * that the connection is lost.
 */
export const pageMachine = setup({
  types: { context: {} as PageContext, events: {} as PageEvent },
  actors: {
    stream: fromCallback<PageEvent>(() => {}),
    fetchPage: fromPromise<void>(async () => {}),
  },
  actions: {
    countAttempt: assign({
      attempts: ({ context }) => context.attempts + 1,
      retryMs: ({ event }) => (event.type === 'closed' ? event.retryMs : undefined),
    }),
    forgetAttempts: assign({ attempts: 0, retryMs: undefined }),
    noteChange: assign({ hasChanged: true }),
    forgetChange: assign({ hasChanged: false }),
    showOffline: () => {},
    hideOffline: () => {},
  },
  guards: { isLive: () => true, hasChanged: ({ context }) => context.hasChanged },
  delays: { backoff: ({ context }) => backoffMs(context), patience: 3_000, retry: 5_000 },
}).createMachine({
  id: 'checkout-page',
  context: { attempts: 0, retryMs: undefined, hasChanged: false },
  type: 'parallel',
  states: {
    connection: {
      initial: 'deciding',
      on: { leave: '.away', final: '.none' },
      states: {
        deciding: { always: [{ guard: 'isLive', target: 'open' }, { target: 'none' }] },
        // The page has no stream.
        none: {},
        open: {
          invoke: { src: 'stream' },
          initial: 'connecting',
          on: { closed: { target: 'waiting', actions: 'countAttempt' }, gone: 'none' },
          states: {
            connecting: { on: { opened: { target: 'live', actions: 'forgetAttempts' } } },
            live: {},
          },
        },
        waiting: { after: { backoff: 'deciding' } },
        away: { on: { return: 'deciding' } },
      },
    },
    page: {
      initial: 'shown',
      states: {
        shown: { on: { changed: 'fetching', refresh: 'fetching', return: 'fetching', gone: 'fetching' } },
        fetching: {
          entry: 'forgetChange',
          invoke: {
            src: 'fetchPage',
            onDone: [
              { guard: 'hasChanged', target: 'fetching', reenter: true },
              { guard: 'isLive', target: 'shown' },
              // The page that was fetched has no stream, so no stream will say that the connection is back.
              { target: 'shown', actions: raise({ type: 'final' }) },
            ],
            onError: 'failed',
          },
          // The response may have been made before the change.
          on: { changed: { actions: 'noteChange' }, refresh: { actions: 'noteChange' } },
        },
        // The next event of the stream, which is open again then, leads on.
        failed: {
          after: { retry: 'fetching' },
          on: { opened: 'fetching', refresh: 'fetching', changed: 'fetching' },
        },
      },
    },
    notice: {
      initial: 'calm',
      states: {
        calm: { on: { closed: 'doubtful' } },
        doubtful: { on: { opened: 'calm', final: 'calm' }, after: { patience: 'offline' } },
        offline: { entry: 'showOffline', exit: 'hideOffline', on: { opened: 'calm', gone: 'calm', final: 'calm' } },
      },
    },
  },
})

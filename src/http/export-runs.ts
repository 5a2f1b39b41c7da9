import { refuse } from '../errors.ts'
import type { Log } from '../log.ts'
import { openSnapshot, type Snapshot } from '../postgres/snapshot.ts'
import { takeExportSlot } from '../queries/exports.ts'

/** The exports that this process runs. */
export type ExportRuns = {
  /** Refuses if the merchant has two exports under way, in any process. */
  begin(merchantId: string): Promise<ExportRun>
  /** Breaks all of them: the server waits for its responses. */
  stop(): void
}

export type ExportRun = {
  readonly snapshot: Snapshot
  /**
   * The response. Pieces are made as the client reads them. If anything fails, the stream fails, and the listener closes the
   * connection without the end of the response: a part of a file must not look like a whole one.
   */
  stream(pieces: AsyncGenerator<Uint8Array>, about: ExportLabels): ReadableStream<Uint8Array>
  /** Ends the run without a response. */
  end(): Promise<void>
}

/** For the log. */
export type ExportLabels = Readonly<Record<'requestId' | 'merchantId' | 'kind' | 'format', string>>

export type ExportTimes = {
  /** How long an export may take. Its snapshot keeps vacuum from removing newer row versions for as long. */
  readonly mostMs?: number
  /** How long a client may read nothing: it occupies one of the few places. */
  readonly unreadMs?: number
}

type ExportRunsOptions = ExportTimes & { readonly databaseUrl: string | undefined }

/** Postgres ends the session so long after the deadline, if this process did not. */
const FROZEN_MS = 10_000

/** Each has a connection to the database. */
const MOST_RUNS = 8
export const EXPORT_RETRY_S = 10

export const openExportRuns = (
  { log }: { readonly log: Log },
  { databaseUrl, mostMs = 600_000, unreadMs = 60_000 }: ExportRunsOptions,
): ExportRuns => {
  const running = new Set<{ fail(reason: string): void }>()

  const begin = async (merchantId: string): Promise<ExportRun> => {
    if (databaseUrl === undefined) throw new TypeError('the URL of the database is not known')
    if (running.size >= MOST_RUNS) refuse('service_unavailable', { retryAfter: EXPORT_RETRY_S })
    let fail = (_: string): void => {}
    const run = { fail: (reason: string) => fail(reason) }
    running.add(run)
    const deadline = setTimeout(() => fail('took too long'), mostMs)
    let snapshot: Snapshot | undefined
    const end = async () => {
      clearTimeout(deadline)
      running.delete(run)
      await snapshot?.end()
    }
    try {
      const opened = await openSnapshot(databaseUrl, { name: 'paymachine export', idleMs: mostMs + FROZEN_MS })
      snapshot = opened
      fail = () => void opened.end()
      if (!(await takeExportSlot(opened.sql, merchantId))) refuse('rate_limited', { retryAfter: EXPORT_RETRY_S })
    } catch (error) {
      await end()
      throw error
    }

    const stream: ExportRun['stream'] = (pieces, about) => {
      const began = performance.now()
      let isOver = false
      // Also before the first piece is read: the client may have left before the response began.
      const waits = () => setTimeout(() => fail('client does not read'), unreadMs)
      let unread = waits()
      const finish = (outcome: string) => {
        isOver = true
        clearTimeout(unread)
        const ms = Math.round(performance.now() - began)
        if (outcome === 'complete') log.info({ ...about, ms }, 'export complete')
        else log.warn({ ...about, ms, outcome }, 'export broken off')
        void end()
        // Releases what it holds, where it waits for its reader.
        void pieces.return(undefined).catch(() => {})
      }
      return new ReadableStream<Uint8Array>(
        {
          start: controller => {
            fail = reason => {
              if (isOver) return
              finish(reason)
              controller.error(new Error(`export broken off: ${reason}`))
            }
          },
          pull: async controller => {
            clearTimeout(unread)
            try {
              const piece = await pieces.next()
              if (isOver) return
              if (!piece.done) {
                unread = waits()
                return controller.enqueue(piece.value)
              }
              finish('complete')
              controller.close()
            } catch (error) {
              fail(error instanceof Error ? error.name : 'failed')
            }
          },
          cancel: () => {
            if (!isOver) finish('client left')
          },
        },
        // A piece is made when the last one was sent.
        { highWaterMark: 0 },
      )
    }
    return { snapshot, stream, end }
  }

  return {
    begin,
    stop: () => {
      for (const { fail } of running) fail('server stops')
    },
  }
}

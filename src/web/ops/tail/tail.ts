import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { followStream, type StreamState } from '../../api/follow.ts'
import type { OpsTransition } from '../../api/ops-calls.ts'
import { paced } from '../../api/paced.ts'
import type { Session } from '../../api/session.ts'

/** As it is in the stream. */
export type TailRow = Omit<OpsTransition, 'context'>

/** With its key in the table: that of a row that is no longer shown, whose elements are used again. */
export type SlottedRow = TailRow & { readonly slot: number }

export type TailFilter = {
  readonly kind?: OpsTransition['kind']
  readonly event?: string
  readonly state?: string
  readonly actor?: string
  readonly merchantId?: string
}

export type Tail = {
  readonly connection: ReadonlySignal<StreamState>
  /** Undefined until the latest transitions were read. */
  readonly rows: ReadonlySignal<readonly SlottedRow[] | undefined>
  readonly isPaused: ReadonlySignal<boolean>
  /** What has arrived since the tail was opened, and since it was paused. */
  readonly received: ReadonlySignal<number>
  readonly waiting: ReadonlySignal<number>
  /** What arrived in each second of the last minute, oldest first. */
  readonly seconds: ReadonlySignal<readonly number[]>
  /** Why the latest transitions could not be read. */
  readonly failure: ReadonlySignal<unknown>
  readonly openedAt: Date
  pause(): void
  resume(): void
  retry(): void
  close(): void
}

type TailOptions = {
  readonly session: Pick<Session, 'bearer'>
  readonly filter: TailFilter
  /** The latest transitions, newest first. */
  readonly readLatest: () => Promise<readonly TailRow[]>
}

/** Rows that are kept and drawn. Memory and work do not depend on how many arrive. */
export const MOST_ROWS = 200
const SECONDS = 60

/** Between two pictures, so that keys and clicks are answered while many arrive. */
const REST_MS = 100

/** The transitions of all actors as they are committed. What arrives between two pictures is shown together. */
export const openTail = ({ session, filter, readLatest }: TailOptions): Tail => {
  const connection = signal<StreamState>({ phase: 'connecting' })
  const rows = signal<readonly SlottedRow[]>()
  const isPaused = signal(false)
  const received = signal(0)
  const waiting = signal(0)
  const seconds = signal<readonly number[]>(Array.from({ length: SECONDS }, () => 0))
  const failure = signal<unknown>()
  let closing = new AbortController()
  let lastId = ''
  /** Newest last. */
  let arrived: TailRow[] = []
  /** Of the latest transitions, those that the stream has not brought yet. */
  let loaded = new Set<string>()
  let [sinceShown, sinceSecond] = [0, 0]
  /** The rows stand still: while it is paused, and until the picture without the pause is painted. */
  let isHeld = false

  const show = () => {
    batch(() => {
      received.value += sinceShown
      if (isHeld) waiting.value += sinceShown
      else if (rows.value && arrived.length > 0) {
        rows.value = withRows(rows.value, arrived)
        arrived = []
      }
      sinceShown = 0
    })
  }
  const drawing = paced(REST_MS, async () => {
    show()
    await painted()
    return false
  })
  const receive = (row: TailRow) => {
    sinceShown++
    sinceSecond++
    drawing.ask()
    if (loaded.delete(row.id)) return
    arrived.push(row)
    // Nothing is painted while the page is hidden.
    if (arrived.length >= 2 * MOST_ROWS) arrived = arrived.slice(-MOST_ROWS)
  }

  /** What was committed before the stream began. Both have what was committed meanwhile. */
  const load = async (signal: AbortSignal): Promise<void> => {
    try {
      const latest = await readLatest()
      if (signal.aborted) return
      const known = new Set(arrived.map(({ id }) => id))
      rows.value = latest.filter(({ id }) => !known.has(id)).map((row, slot) => ({ ...row, slot }))
      loaded = new Set(rows.value.map(({ id }) => id))
      show()
    } catch (error) {
      if (!signal.aborted) failure.value = error
    }
  }

  /** A refused stream is opened again if the session can read transitions, perhaps after a new sign-in. */
  const follow = async (signal: AbortSignal): Promise<void> => {
    for (let refused = 0; refused < 2 && !signal.aborted; refused++) {
      await followStream({
        ...{ session, signal, path: pathOf(filter) },
        lastId: () => lastId,
        phase: () => connection.value.phase,
        setState: state => {
          connection.value = state
          if (state.phase !== 'live') return
          refused = 0
          if (rows.value === undefined) void load(signal)
        },
        onMessage: ({ event, data, id }) => {
          lastId = id
          if (event === 'transition') return receive(JSON.parse(data))
          // The stream begins anew, after a gap.
          rows.value = undefined
          void load(signal)
        },
        onPlace: id => {
          lastId = id
        },
      })
      if (signal.aborted) return
      await readLatest().catch(error => {
        failure.value = error
        refused = 2
      })
    }
  }

  const ticking = setInterval(() => {
    seconds.value = [...seconds.value.slice(1), sinceSecond]
    sinceSecond = 0
  }, 1_000)
  void follow(closing.signal)

  return {
    ...{ connection, rows, isPaused, received, waiting, seconds, failure, openedAt: new Date() },
    pause: () => {
      if (!isPaused.value) waiting.value = 0
      isPaused.value = true
      isHeld = true
    },
    resume: () => {
      isPaused.value = false
      // First the button answers: all rows are exchanged at once.
      void painted().then(() => {
        if (isPaused.value) return
        isHeld = false
        drawing.ask()
      })
    },
    retry: () => {
      closing.abort()
      closing = new AbortController()
      failure.value = undefined
      connection.value = { phase: 'connecting' }
      void follow(closing.signal)
    },
    close: () => {
      clearInterval(ticking)
      drawing.stop()
      closing.abort()
    },
  }
}

/** Making new elements for hundreds of rows takes several times as long as to fill those that there are. */
const withRows = (shown: readonly SlottedRow[], arrived: readonly TailRow[]): readonly SlottedRow[] => {
  const added = arrived.toReversed().slice(0, MOST_ROWS)
  const kept = shown.slice(0, MOST_ROWS - added.length)
  const used = new Set(kept.map(({ slot }) => slot))
  const free = Array.from({ length: MOST_ROWS }, (_, slot) => slot).filter(slot => !used.has(slot))
  return [...added.map((row, n) => ({ ...row, slot: free[n] ?? n })), ...kept]
}

/** A task after the next frame: what has changed is laid out and painted by then. */
const painted = (): Promise<void> => new Promise(resolve => requestAnimationFrame(() => void setTimeout(resolve)))

const pathOf = (filter: TailFilter): string => {
  const query = new URLSearchParams(Object.entries(filter))
  return `/v1/ops/transitions/stream${query.size > 0 ? `?${query}` : ''}`
}

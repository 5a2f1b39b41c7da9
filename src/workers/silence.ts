import type { Beats } from './queries.ts'

export type SilenceOptions = {
  /** Dead is who has not beaten for longer than this. */
  readonly silentMs: number
  /** Looks further apart than this tell nothing together. */
  readonly gapMs: number
}

/**
 * Tells who has stopped beating. Beats are counted and the time between looks is taken from a
 * monotonic counter, so no clock that steps can kill anybody. Only time in which we looked counts:
 * after we were stopped ourselves, or the database was away or slow for all, everybody has a new chance.
 */
export const openSilence = ({ silentMs, gapMs }: SilenceOptions) => {
  let known = new Map<string, { readonly beats: string; readonly sinceMs: number }>()
  let lastAskedMs = Number.NEGATIVE_INFINITY

  /** `askedMs` and `answeredMs` enclose the look; what happened between them counts for the looked at. */
  const look = (workers: readonly Beats[], askedMs: number, answeredMs: number): Beats[] => {
    const before = askedMs - lastAskedMs > gapMs ? new Map() : known
    lastAskedMs = askedMs
    known = new Map(
      workers.map(({ id, beats }) => {
        const last = before.get(id)
        return [id, last?.beats === beats ? last : { beats, sinceMs: answeredMs }]
      }),
    )
    return workers.filter(({ id }) => askedMs - (known.get(id)?.sinceMs ?? askedMs) > silentMs)
  }

  return { look }
}

import type { useReader } from '../../parts/reader.ts'
import type { OpsTexts } from '../shell/texts.ts'

/** What failures are written with. */
export type Words = {
  readonly texts: OpsTexts
  readonly formats: ReturnType<typeof useReader>['formats']
  readonly now: Date
}

/** Something that does not work. */
export type Failure = {
  readonly tone: 'bad' | 'warn'
  readonly title: string
  /** What to do. */
  readonly what: string
  /** Where more is shown. */
  readonly path: string
}

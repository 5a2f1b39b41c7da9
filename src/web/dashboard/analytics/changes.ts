import { addDays } from '../../../billing/days.ts'
import { type Formats, unbroken } from '../../text/format.ts'
import type { Locale } from '../../text/locale.ts'
import type { FiguresPeriod } from './period.ts'
import type { AnalyticsTexts } from './texts.ts'

/** `Nov 1 – 27, 2026` */
export const daysText = ({ from, to }: FiguresPeriod, locale: Locale): string =>
  unbroken(
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(
      new Date(from),
      new Date(addDays(to, -1)),
    ),
  )

/** How a sum or a count compares with that of the period before. */
export const changeText = (
  now: number,
  before: number | undefined,
  texts: AnalyticsTexts['change'],
  { share }: Pick<Formats, 'share'>,
): string => {
  if (before === undefined) return texts.unknown
  if (now === before) return texts.same
  if (before === 0) return texts.nothingBefore
  const part = share(Math.abs(now - before) / Math.abs(before))
  return now > before ? texts.more(part) : texts.less(part)
}

/** How a share compares, in percentage points. Both are in basis points. */
export const pointsText = (
  now: number | null | undefined,
  before: number | null | undefined,
  texts: AnalyticsTexts['change'],
  { decimal }: Pick<Formats, 'decimal'>,
): string => {
  if (now == null || before == null) return texts.unknown
  const points = Math.round((now - before) / 10) / 10
  if (points === 0) return texts.same
  const written = decimal(String(Math.abs(points)))
  return points > 0 ? texts.morePoints(written) : texts.lessPoints(written)
}

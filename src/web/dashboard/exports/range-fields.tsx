import { dayIn } from '../../../billing/days.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { FormField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { shownFailure } from '../shell/failure.ts'
import { useBillingSettings } from '../shell/use-billing-settings.ts'
import { type ExportDays, type ExportRangeName, exportDaysOf, exportRanges } from './export-range.ts'
import { useExportsTexts } from './texts.ts'

/** What was chosen: a range by its name, or two days of one's own. */
export type ChosenRange = Exclude<ExportRangeName, 'custom'> | ExportDays

/** The days of a choice in the time zone of the shop. They are empty until it is known. */
export const useExportDays = (chosen: ChosenRange, listDays: number | undefined) => {
  const { now } = useReader()
  const settings = useBillingSettings()
  const today = settings.data && dayIn(settings.data.timeZone, now.value)
  const days =
    typeof chosen === 'object'
      ? chosen
      : today === undefined
        ? { from: '', to: '' }
        : exportDaysOf(chosen, today, listDays)
  return { days, settings }
}

type RangeFieldsProps = ReturnType<typeof useExportDays> & {
  readonly chosen: ChosenRange
  readonly hasListDays: boolean
  readonly onChosen: (chosen: ChosenRange) => void
  readonly fromError: string | undefined
  readonly toError: string | undefined
}

/** A range by its name, and its days, which can be changed. */
export const RangeFields = (props: RangeFieldsProps) => {
  const { chosen, days, settings, hasListDays, onChosen, fromError, toError } = props
  const texts = useExportsTexts()
  const isFailed = settings.error !== null && settings.data === undefined
  const pick = (name: string) => {
    const range = exportRanges.find(each => each === name)
    if (range !== undefined) onChosen(range === 'custom' ? days : range)
  }
  return (
    <>
      <FormField label={texts.range} hint={texts.rangeHint}>
        {links => (
          <select
            class="input"
            value={typeof chosen === 'object' ? 'custom' : chosen}
            onChange={event => pick(event.currentTarget.value)}
            {...links}
          >
            {exportRanges
              .filter(each => each !== 'list' || hasListDays)
              .map(each => (
                <option key={each} value={each}>
                  {texts.ranges[each]}
                </option>
              ))}
          </select>
        )}
      </FormField>
      <div class="days">
        <DayField label={texts.from} value={days.from} onDay={from => onChosen({ ...days, from })} error={fromError} />
        <DayField label={texts.to} value={days.to} onDay={to => onChosen({ ...days, to })} error={toError} />
      </div>
      {isFailed && (
        <ErrorNote failure={shownFailure(settings.error)} onRetry={() => void settings.refetch()}>
          {texts.zoneFailed}
        </ErrorNote>
      )}
    </>
  )
}

type DayProps = {
  readonly label: string
  readonly value: string
  readonly onDay: (day: string) => void
  readonly error: string | undefined
}

const DayField = ({ label, value, onDay, error }: DayProps) => (
  <FormField label={label} error={error}>
    {props => (
      <input class="input" type="date" value={value} onInput={event => onDay(event.currentTarget.value)} {...props} />
    )}
  </FormField>
)

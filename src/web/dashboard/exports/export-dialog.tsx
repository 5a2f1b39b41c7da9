import { useState } from 'preact/hooks'
import { addDays } from '../../../billing/days.ts'
import { ApiError } from '../../api/request.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { useScope, useShop } from '../shell/shop.ts'
import { wrongRange } from './export-range.ts'
import type { ExportedList } from './exported-list.ts'
import { type ChosenRange, RangeFields, useExportDays } from './range-fields.tsx'
import { useExportsTexts } from './texts.ts'

type DialogProps = { readonly lists: readonly [ExportedList, ...ExportedList[]]; readonly onClose: () => void }

const formats = ['csv', 'ndjson'] as const

/** Asks for the range and the format of an export, and starts its download. */
export const ExportDialog = ({ lists, onClose }: DialogProps) => {
  const texts = useExportsTexts()
  const { session } = useShop()
  const scope = useScope()
  const action = useAction()
  const [first] = lists
  const [kind, setKind] = useState(first.kind)
  const [chosen, setChosen] = useState<ChosenRange>(first.days === undefined ? 'most' : 'list')
  const { days, settings } = useExportDays(chosen, first.days)
  const [format, setFormat] = useState<(typeof formats)[number]>('csv')
  const [isForExcel, setForExcel] = useState(true)
  const [isChecked, setChecked] = useState(false)

  const { filters } = lists.find(each => each.kind === kind) ?? first
  const hasRange = kind !== 'balances'
  const wrong = hasRange ? wrongRange(days) : undefined
  const submit = async () => {
    setChecked(true)
    if (wrong !== undefined) return
    const isDone = await action.run(async () => {
      const { url } = await session.call('createExport', {
        ...scope,
        ...set(filters),
        ...{ kind, format },
        ...(hasRange && { from: days.from, to: addDays(days.to, 1) }),
        ...(format === 'csv' && isForExcel && { bom: true }),
      })
      download(url)
    })
    if (!isDone) return
    showToast(texts.started)
    onClose()
  }
  const shown = isChecked && wrong !== undefined ? texts[wrong] : undefined
  const isFirstWrong = wrong === 'fromMissing'
  const isBusy = action.error instanceof ApiError && action.error.code === 'rate_limited'
  return (
    <FormDialog
      open
      title={texts.titles[first.kind]}
      no={texts.cancel}
      yes={texts.submit}
      action={action}
      isAtField
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="quiet">{whatOf(texts, hasRange, set(filters))}</p>
      {lists.length > 1 && (
        <RadioChoice
          legend={texts.records}
          name="kind"
          values={['invoices', 'credit-notes'] as const}
          words={texts.kinds}
          about={texts.kindsWhat}
          value={kind === 'credit-notes' ? kind : 'invoices'}
          onValue={setKind}
        />
      )}
      {hasRange && (
        <RangeFields
          {...{ chosen, days, settings }}
          hasListDays={first.days !== undefined}
          onChosen={setChosen}
          fromError={isFirstWrong ? shown : undefined}
          toError={isFirstWrong ? undefined : shown}
        />
      )}
      <RadioChoice
        legend={texts.format}
        name="format"
        values={formats}
        words={texts.formats}
        about={texts.formatsWhat}
        value={format}
        onValue={setFormat}
      />
      {format === 'csv' && (
        <label class="check">
          <input type="checkbox" checked={isForExcel} onInput={event => setForExcel(event.currentTarget.checked)} />
          <span>
            {texts.bom}
            <span>{texts.bomWhat}</span>
          </span>
        </label>
      )}
      {action.error !== undefined && (
        <ErrorNote failure={shownFailure(action.error)} {...(isBusy && { onRetry: submit })}>
          {isBusy && texts.busy}
        </ErrorNote>
      )}
    </FormDialog>
  )
}

const whatOf = (texts: ReturnType<typeof useExportsTexts>, hasRange: boolean, filters: object): string => {
  if (!hasRange) return texts.whatBalances
  return Object.keys(filters).length > 0 ? texts.whatFiltered : texts.what
}

/** The filters that have a value. */
const set = (filters: ExportedList['filters']): Record<string, string | boolean | string[]> =>
  Object.fromEntries(Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** With `download` an error of the server does not replace the page. The path: the page may have another host name. */
const download = (url: string): void => {
  const link = document.createElement('a')
  link.href = new URL(url).pathname
  link.download = ''
  link.click()
}

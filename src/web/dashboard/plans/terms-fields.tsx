import { defaultDays, intervals } from '../../../billing/periods.ts'
import { FormField, TextField } from '../../parts/field.tsx'
import { AssetsField } from '../invoices/assets-field.tsx'
import { useInvoiceEditorTexts } from '../invoices/editor-texts.ts'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { wholeOf } from '../shell/whole.ts'
import { cadenceOf, mostDaysOf, type TermsDraft, type TermsFaults } from './terms-draft.ts'
import { usePlansTexts } from './texts.ts'

type TermsFieldsProps = {
  readonly draft: TermsDraft
  readonly onEdit: (edits: Partial<TermsDraft>) => void
  /** Undefined as long as the form was not checked. */
  readonly faults: TermsFaults | undefined
  /** The parameter that the server has refused. */
  readonly refused: string | undefined
}

type TypedField = 'intervalCount' | 'trialDays' | 'leadDays' | 'graceDays' | 'maxPeriods'

/** A field of terms that is a number, with what is wrong with it. */
const useNumberField = ({ draft, onEdit, faults, refused }: TermsFieldsProps) => {
  const { refused: refusedWords } = useInvoiceEditorTexts()
  return (name: TypedField, wrong: string) => ({
    ...{ name, value: draft[name], inputMode: 'numeric' as const, autocomplete: 'off' as const, maxLength: 9 },
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => onEdit({ [name]: event.currentTarget.value }),
    error: faults?.[name] ? wrong : refused === name ? refusedWords : undefined,
  })
}

/** When it charges: the length of a period, the trial, the begin, and what happens if an invoice is not paid. */
export const ScheduleFields = (props: TermsFieldsProps & { readonly hasTrial?: boolean }) => {
  const { draft, onEdit, hasTrial = true } = props
  const { form: texts } = usePlansTexts()
  const number = useNumberField(props)
  const most = mostDaysOf(draft)
  const { graceDays } = defaultDays[draft.interval]
  return (
    <>
      <fieldset class="form">
        <legend class="legend">{texts.interval}</legend>
        <div class="terms-interval">
          <TextField
            label={texts.intervalCount}
            hint={texts.intervalHint}
            {...number('intervalCount', texts.countWrong)}
          />
          <FormField label={texts.unit}>
            {links => (
              <select
                class="input"
                name="interval"
                {...links}
                value={draft.interval}
                onChange={event => {
                  const interval = intervals.find(each => each === event.currentTarget.value)
                  if (interval) onEdit({ interval })
                }}
              >
                {intervals.map(each => (
                  <option key={each} value={each}>
                    {texts.units[each](cadenceOf(draft).intervalCount)}
                  </option>
                ))}
              </select>
            )}
          </FormField>
        </div>
      </fieldset>
      {hasTrial && <TextField label={texts.trial} hint={texts.trialHint} {...number('trialDays', texts.trialWrong)} />}
      {(wholeOf(draft.trialDays) ?? 0) > 0 ? (
        <p class="quiet">{texts.activationTrial}</p>
      ) : (
        <RadioChoice
          legend={texts.activation}
          name="activation"
          values={['on_payment', 'immediate'] as const}
          words={texts.activations}
          about={texts.activationsWhat}
          value={draft.activation}
          onValue={activation => onEdit({ activation })}
        />
      )}
      <TextField
        label={texts.grace}
        hint={texts.graceHint(most, graceDays)}
        placeholder={String(graceDays)}
        {...number('graceDays', texts.daysWrong(most))}
      />
      <RadioChoice
        legend={texts.afterGrace}
        name="afterGrace"
        values={['cancel', 'pause'] as const}
        words={texts.afterGraces}
        about={texts.afterGracesWhat}
        value={draft.afterGrace}
        onValue={afterGrace => onEdit({ afterGrace })}
      />
    </>
  )
}

/** What most plans do not need. */
export const MoreTermsFields = (props: TermsFieldsProps) => {
  const { draft, onEdit, faults, refused } = props
  const { form: texts } = usePlansTexts()
  const { assetsNone, refused: refusedWords } = useInvoiceEditorTexts()
  const number = useNumberField(props)
  const most = mostDaysOf(draft)
  const { leadDays } = defaultDays[draft.interval]
  return (
    <>
      <TextField
        label={texts.lead}
        hint={texts.leadHint(most, leadDays)}
        placeholder={String(leadDays)}
        {...number('leadDays', texts.daysWrong(most))}
      />
      <TextField
        label={texts.maxPeriods}
        optional
        hint={texts.maxPeriodsHint}
        {...number('maxPeriods', texts.maxPeriodsWrong)}
      />
      <AssetsField
        assets={draft.assets}
        onAssets={assets => onEdit({ assets })}
        error={faults?.assets ? assetsNone : refused?.split('.')[0] === 'assets' ? refusedWords : undefined}
      />
    </>
  )
}

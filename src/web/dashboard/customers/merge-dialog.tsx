import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { CustomerWithTotals } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { Facts } from '../shell/record.tsx'
import { useAddress, useScope, useShop } from '../shell/shop.ts'
import { nameOfCustomer } from './customer-name.ts'
import { FindCustomer } from './find-customer.tsx'
import { useCustomersTexts } from './texts.ts'
import { useCustomer } from './use-customer.ts'

type MergeDialogProps = { readonly customer: CustomerWithTotals; readonly onClose: () => void }

/** Merges a customer into another one, which is chosen here, after saying what becomes of both. */
export const MergeDialog = ({ customer, onClose }: MergeDialogProps) => {
  const { merge: texts, cancel } = useCustomersTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const { route } = useLocation()
  const address = useAddress()
  const refresh = useRefresh()
  const action = useAction()
  const [intoId, setIntoId] = useState<string>()
  const [isChecked, setChecked] = useState(false)
  const { id } = customer
  const name = nameOfCustomer(customer)
  const submit = async () => {
    setChecked(true)
    if (intoId === undefined) return
    await action.run(async () => {
      try {
        const survivor = await session.call('mergeCustomer', { merchantId, id, intoId })
        showToast(texts.done(name, nameOfCustomer(survivor)))
        onClose()
        route(address('customers', survivor.id))
      } finally {
        await refresh('customers')
      }
    })
  }
  return (
    <FormDialog
      open
      wide
      danger
      title={texts.title(name)}
      no={cancel}
      yes={texts.submit}
      action={action}
      explain={error => (error instanceof ApiError && error.code === 'state_conflict' ? texts.refused : undefined)}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{texts.what(name)}</p>
      <FindCustomer
        label={texts.other}
        hint={texts.otherHint}
        error={isChecked && intoId === undefined ? texts.otherEmpty : undefined}
        except={id}
        onCustomer={found => {
          setIntoId(found)
          action.reset()
        }}
      />
      {intoId !== undefined && <Outcome customer={customer} intoId={intoId} />}
    </FormDialog>
  )
}

/** What becomes of fields, payments, credit and e-mail addresses. */
const Outcome = ({ customer, intoId }: { readonly customer: CustomerWithTotals; readonly intoId: string }) => {
  const { merge: texts } = useCustomersTexts()
  const { formats } = useReader()
  const into = useCustomer(intoId).data
  if (!into) return null
  const [name, survivor] = [nameOfCustomer(customer), nameOfCustomer(into)]
  const credit = creditOf([customer, into]).map(({ currency, sums, total }) => (
    <div key={currency}>
      {sums.map(each => formats.money(each, currency)).join(' + ')} = <b>{formats.money(total, currency)}</b>
    </div>
  ))
  return (
    <>
      <NoteBox tone="warn" title={texts.survives(survivor)}>
        {texts.forGood}
      </NoteBox>
      <Facts
        facts={[
          [texts.fields, texts.fieldsWhat(survivor, name)],
          [texts.payments, texts.paymentsWhat(survivor)],
          [texts.credit, credit.length > 0 ? credit : texts.noCredit],
          [
            texts.emails,
            <>
              {texts.emailsWhat(survivor)}
              {[into, customer].flatMap(({ email, aliases }) =>
                [email, ...aliases].map(each => <div key={each}>{each}</div>),
              )}
            </>,
          ],
        ]}
      />
    </>
  )
}

/** The credit of both, by currency. */
const creditOf = (both: readonly CustomerWithTotals[]) =>
  [...new Set(both.flatMap(({ totals }) => totals.map(({ currency }) => currency)))].flatMap(currency => {
    const sums = both.map(({ totals }) => totals.find(each => each.currency === currency)?.creditMinor ?? 0)
    const total = sums.reduce((sum, each) => sum + each, 0)
    return total === 0 ? [] : [{ currency, sums, total }]
  })

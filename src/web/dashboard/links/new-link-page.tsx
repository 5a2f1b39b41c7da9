import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { FormField, TextField } from '../../parts/field.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useAddress, useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { wholeOf } from '../shell/whole.ts'
import { parseAmount } from './amount.ts'
import { LinkPreview } from './link-preview.tsx'
import { NoAddressNote } from './no-address.tsx'
import { useLinksTexts } from './texts.ts'

type Draft = {
  readonly amount: string
  readonly currency: string
  readonly title: string
  readonly description: string
  readonly reference: string
  readonly windowMinutes: string
  readonly maxPayments: string
  readonly successUrl: string
}

const empty: Draft = {
  ...{ amount: '', currency: 'EUR', title: '', description: '', reference: '' },
  ...{ windowMinutes: '', maxPayments: '', successUrl: '' },
}

export const NewLinkPage = () => {
  const texts = useLinksTexts()
  const { route } = useLocation()
  const address = useAddress()
  const canWrite = useCanWrite()
  const { session } = useShop()
  const { merchantId, livemode } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [draft, setDraft] = useState(empty)
  const [isChecked, setChecked] = useState(false)
  // The same key for every attempt of this form: a lost response does not make a second link.
  const [idempotencyKey] = useState(newIdempotencyKey)
  const amountMinor = parseAmount(draft.amount)
  const [minutes, max] = [wholeOf(draft.windowMinutes), wholeOf(draft.maxPayments)]
  const input = (name: keyof Draft) => ({
    name,
    value: draft[name],
    onInput: (event: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement }) =>
      setDraft({ ...draft, [name]: event.currentTarget.value }),
  })
  const refused = action.error instanceof ApiError ? action.error : undefined
  const takenBy = refused?.code === 'duplicate_reference' ? String(refused.details.paymentLinkId) : undefined

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setChecked(true)
    if (amountMinor === undefined || Number.isNaN(minutes) || Number.isNaN(max)) return
    await action.run(async () => {
      const link = await session.call('createPaymentLink', {
        ...{ merchantId, livemode, idempotencyKey, amountMinor, currency: draft.currency },
        ...given({ title: draft.title, description: draft.description, reference: draft.reference }),
        ...given({ successUrl: draft.successUrl }),
        ...(minutes !== undefined && { windowMinutes: minutes }),
        ...(max !== undefined && { maxPayments: max }),
      })
      await refresh('links')
      showToast(texts.createdDone)
      route(address('links', link.id))
    })
  }
  const back = { href: address('links'), label: texts.title }
  if (!canWrite)
    return (
      <>
        <PageHead title={texts.newTitle} back={back} />
        <OwnersNote />
      </>
    )
  return (
    <>
      <PageHead title={texts.newTitle} lead={texts.newWhat} back={back} />
      <NoAddressNote links={[{ assets: null }]} />
      <div class="beside">
        <form class="form form--wide" onSubmit={submit} noValidate>
          <div class="amount-fields">
            <TextField
              label={texts.amount}
              inputMode="decimal"
              autocomplete="off"
              {...input('amount')}
              error={isChecked && amountMinor === undefined ? texts.amountWrong : undefined}
            />
            <FormField label={texts.currency}>
              {props => (
                <select class="input" {...props} {...input('currency')}>
                  <option>EUR</option>
                  <option>USD</option>
                </select>
              )}
            </FormField>
          </div>
          <TextField label={texts.name} optional maxLength={200} hint={texts.titleHint} {...input('title')} />
          <FormField label={texts.description} optional>
            {props => <textarea class="input" rows={3} maxLength={1_000} {...props} {...input('description')} />}
          </FormField>
          <TextField
            label={texts.reference}
            optional
            maxLength={200}
            autocomplete="off"
            hint={texts.referenceHint}
            {...input('reference')}
            error={takenBy === undefined ? undefined : texts.referenceTaken(draft.reference)}
          />
          {takenBy !== undefined && (
            <p>
              <a href={address('links', takenBy)}>{texts.usedBy}</a>
            </p>
          )}
          <details class="more">
            <summary>{texts.more}</summary>
            <div class="form">
              <TextField
                label={texts.window}
                optional
                inputMode="numeric"
                placeholder="30"
                hint={texts.windowHint}
                {...input('windowMinutes')}
                error={isChecked && Number.isNaN(minutes) ? texts.numberWrong : undefined}
              />
              <TextField
                label={texts.maxPayments}
                optional
                inputMode="numeric"
                hint={texts.maxPaymentsHint}
                {...input('maxPayments')}
                error={isChecked && Number.isNaN(max) ? texts.numberWrong : undefined}
              />
              <TextField
                label={texts.successUrl}
                optional
                type="url"
                placeholder="https://"
                hint={texts.successUrlHint}
                {...input('successUrl')}
              />
            </div>
          </details>
          {action.error !== undefined && takenBy === undefined && <ErrorNote failure={shownFailure(action.error)} />}
          <div class="buttons">
            <Submit action={action}>{texts.submit}</Submit>
            <a class="button button--bare" href={address('links')}>
              {texts.cancel}
            </a>
          </div>
        </form>
        <LinkPreview {...draft} amountMinor={amountMinor} />
      </div>
    </>
  )
}

const given = <Name extends string>(fields: Readonly<Record<Name, string>>): { [Key in Name]?: string } =>
  Object.fromEntries(
    Object.entries<string>(fields)
      .map(([name, text]) => [name, text.trim()] as const)
      .filter(([, text]) => text !== ''),
  ) as { [Key in Name]?: string }

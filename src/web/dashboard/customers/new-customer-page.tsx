import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useAddress, useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { type CustomerEdits, customerChangesIn } from './customer-draft.ts'
import { CustomerForm } from './customer-form.tsx'
import { useCustomersTexts } from './texts.ts'

export const NewCustomerPage = () => {
  const texts = useCustomersTexts()
  const { route } = useLocation()
  const address = useAddress()
  const canWrite = useCanWrite()
  const { session } = useShop()
  const scope = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [edits, setEdits] = useState<CustomerEdits>({})
  // The same key for every attempt of this form: a lost response does not refuse the second attempt as a duplicate.
  const [idempotencyKey] = useState(newIdempotencyKey)
  const submit = () =>
    action.run(async () => {
      const given = customerChangesIn(edits, undefined)
      const created = await session.call('createCustomer', {
        ...{ ...scope, idempotencyKey, ...given },
        email: given.email ?? '',
      })
      await refresh('customers')
      showToast(texts.created)
      route(address('customers', created.id))
    })
  return (
    <>
      <PageHead
        title={texts.newTitle}
        {...(canWrite && { lead: texts.newWhat })}
        back={{ href: address('customers'), label: texts.title }}
      />
      <OwnersNote />
      {canWrite && (
        <CustomerForm edits={edits} onEdits={setEdits} action={action} onSubmit={() => void submit()}>
          <Submit action={action}>{texts.submitNew}</Submit>
          <a class="button button--bare" href={address('customers')}>
            {texts.cancel}
          </a>
        </CustomerForm>
      )}
    </>
  )
}

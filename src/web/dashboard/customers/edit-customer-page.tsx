import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import type { CustomerWithTotals } from '../../api/calls.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useRefresh } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { type CustomerEdits, customerChangesIn } from './customer-draft.ts'
import { CustomerForm } from './customer-form.tsx'
import { nameOfCustomer } from './customer-name.ts'
import { MergedNote } from './merged-note.tsx'
import { useCustomersTexts } from './texts.ts'
import { useCustomer } from './use-customer.ts'

export const EditCustomerPage = () => {
  const { id = '' } = useRoute().params
  const texts = useCustomersTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const result = useCustomer(id)
  return (
    <>
      <PageHead
        title={texts.editTitle}
        back={{ href: address('customers', id), label: result.data ? nameOfCustomer(result.data) : texts.one }}
      />
      <OwnersNote />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {customer =>
          customer.mergedIntoId === null ? (
            canWrite && customer.erasedAt === null && <EditForm customer={customer} />
          ) : (
            <MergedNote intoId={customer.mergedIntoId} />
          )
        }
      </Result>
    </>
  )
}

const EditForm = ({ customer }: { readonly customer: CustomerWithTotals }) => {
  const texts = useCustomersTexts()
  const { route } = useLocation()
  const address = useAddress()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [edits, setEdits] = useState<CustomerEdits>({})
  const { id } = customer
  const submit = () =>
    action.run(async () => {
      const changes = customerChangesIn(edits, customer)
      if (Object.keys(changes).length > 0) {
        await session.call('updateCustomer', { merchantId, id, ...changes })
        await refresh('customers')
        showToast(texts.saved)
      }
      route(address('customers', id))
    })
  return (
    <CustomerForm customer={customer} edits={edits} onEdits={setEdits} action={action} onSubmit={() => void submit()}>
      <Submit action={action}>{texts.save}</Submit>
      <a class="button button--bare" href={address('customers', id)}>
        {texts.cancel}
      </a>
    </CustomerForm>
  )
}

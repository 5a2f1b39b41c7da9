import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useBillingSettings } from '../invoices/use-billing-settings.ts'
import { useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { SubscriptionForm } from './subscription-form.tsx'
import { useSubscriptionsTexts } from './texts.ts'

export const NewSubscriptionPage = () => {
  const { title, form: texts } = useSubscriptionsTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const query = useAddressQuery()
  const result = useBillingSettings()
  return (
    <>
      <PageHead
        title={texts.title}
        {...(canWrite && { lead: texts.what })}
        back={{ href: address('subscriptions'), label: title }}
      />
      <OwnersNote />
      {canWrite && (
        <Result result={result} skeleton={<SkeletonRows rows={10} />}>
          {settings => (
            <SubscriptionForm settings={settings} customerId={query.get('customer')} planId={query.get('plan')} />
          )}
        </Result>
      )}
    </>
  )
}

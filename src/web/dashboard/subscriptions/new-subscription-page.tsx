import type { ComponentProps } from 'preact'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { usePlan } from '../plans/use-plan.ts'
import { useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useBillingSettings } from '../shell/use-billing-settings.ts'
import { SubscriptionForm } from './subscription-form.tsx'
import { useSubscriptionsTexts } from './texts.ts'

export const NewSubscriptionPage = () => {
  const { title, form: texts } = useSubscriptionsTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const query = useAddressQuery()
  const result = useBillingSettings()
  const [customerId, planId] = [query.get('customer'), query.get('plan')]
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
          {settings =>
            planId === undefined ? (
              <SubscriptionForm settings={settings} customerId={customerId} plan={undefined} />
            ) : (
              <PlannedForm settings={settings} customerId={customerId} planId={planId} />
            )
          }
        </Result>
      )}
    </>
  )
}

type PlannedFormProps = Omit<ComponentProps<typeof SubscriptionForm>, 'plan'> & { readonly planId: string }

/** With a plan that is chosen already, unless it is archived or unknown. */
const PlannedForm = ({ planId, ...form }: PlannedFormProps) => {
  const { data, isError } = usePlan(planId)
  if (!data && !isError) return <SkeletonRows rows={10} />
  return <SubscriptionForm {...form} plan={data?.status === 'active' ? data : undefined} />
}

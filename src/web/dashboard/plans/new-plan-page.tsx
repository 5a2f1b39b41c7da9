import { SkeletonRows } from '../../parts/skeleton.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useBillingSettings } from '../shell/use-billing-settings.ts'
import { PlanForm } from './plan-form.tsx'
import { usePlansTexts } from './texts.ts'

export const NewPlanPage = () => {
  const texts = usePlansTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const result = useBillingSettings()
  return (
    <>
      <PageHead
        title={texts.form.title}
        {...(canWrite && { lead: texts.form.what })}
        back={{ href: address('plans'), label: texts.title }}
      />
      <OwnersNote />
      {canWrite && (
        <Result result={result} skeleton={<SkeletonRows rows={10} />}>
          {settings => <PlanForm settings={settings} />}
        </Result>
      )}
    </>
  )
}

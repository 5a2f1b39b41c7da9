import type { SubscriptionWithLines } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { LineTable } from '../invoices/invoice-lines.tsx'
import { SumRows, useTaxRows } from '../invoices/sum-rows.tsx'
import { PriceTable } from '../plans/price-table.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useSubscriptionsTexts } from './texts.ts'

/** The next invoice as it would be now: its lines, sums and days. If there will be none, what a period costs. */
export const NextInvoice = ({ subscription }: { readonly subscription: SubscriptionWithLines }) => {
  const { id } = subscription
  const { preview: texts } = useSubscriptionsTexts()
  const { formats } = useReader()
  const taxRows = useTaxRows()
  const result = useShopQuery(['subscriptions', 'one', id, 'preview'], async ({ merchantId, call }, signal) => {
    try {
      return { preview: await call('previewSubscription', { merchantId, id }, { signal }) }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'state_conflict') return { preview: undefined }
      throw error
    }
  }).value
  if (result.data && !result.data.preview) return <PriceTable price={subscription} />
  return (
    <Section title={texts.title}>
      <Result result={result} skeleton={<SkeletonRows rows={3} />}>
        {({ preview }) => {
          if (!preview) return null
          const { finalizesAt, dueDate, currency, lines, creditAppliedMinor, amountDueMinor } = preview
          return (
            <>
              <p>{texts.issued(formats.date(finalizesAt), formats.day(dueDate))}</p>
              <LineTable lines={lines} currency={currency} />
              <SumRows
                currency={currency}
                rows={[
                  ...taxRows(preview),
                  ...(creditAppliedMinor > 0
                    ? [[texts.credit, -creditAppliedMinor] as const, [texts.due, amountDueMinor, 'strong'] as const]
                    : []),
                ]}
              />
            </>
          )
        }}
      </Result>
    </Section>
  )
}

import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useBillingSettings } from '../shell/use-billing-settings.ts'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import { InvoiceEditor } from './invoice-editor.tsx'
import { useInvoicesTexts } from './texts.ts'

export const NewInvoicePage = () => {
  const texts = useInvoiceEditorTexts()
  const { title } = useInvoicesTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const customerId = useAddressQuery().get('customer')
  const result = useBillingSettings()
  const { data: customers, error } = useShopQuery(['customers', 'any'], ({ call, ...scope }, signal) =>
    call('listCustomers', { ...scope, limit: 1 }, { signal }),
  ).value
  const isFirst = customerId === undefined && customers?.data.length === 0
  return (
    <>
      <PageHead
        title={texts.newTitle}
        {...(canWrite && { lead: texts.newWhat })}
        back={{ href: address('invoices'), label: title }}
      />
      <OwnersNote />
      {canWrite && (
        <Result result={result} skeleton={<SkeletonRows rows={10} />}>
          {settings =>
            customers || error ? (
              <InvoiceEditor settings={settings} customerId={customerId} isFirst={isFirst} />
            ) : (
              <SkeletonRows rows={10} />
            )
          }
        </Result>
      )}
    </>
  )
}

import { useRoute } from 'preact-iso'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateBadge } from '../../parts/state-strip.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { RecordJson } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { invoicePath } from './invoice-state.ts'
import { useInvoicesTexts } from './texts.ts'
import { useInvoice } from './use-invoice.ts'

export const InvoicePage = () => {
  const { id = '' } = useRoute().params
  const texts = useInvoicesTexts()
  const address = useAddress()
  const result = useInvoice(id)
  const invoice = result.data
  return (
    <>
      <PageHead
        title={invoice?.number ?? texts.one}
        back={{ href: address('invoices'), label: texts.title }}
        lead={invoice && <StateBadge path={invoicePath(invoice, texts.states)} />}
      />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {found => <RecordJson record={found} />}
      </Result>
    </>
  )
}

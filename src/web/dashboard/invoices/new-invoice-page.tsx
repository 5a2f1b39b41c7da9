import { PageHead } from '../shell/page-head.tsx'
import { useAddress } from '../shell/shop.ts'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import { useInvoicesTexts } from './texts.ts'

export const NewInvoicePage = () => {
  const texts = useInvoiceEditorTexts()
  const { title } = useInvoicesTexts()
  const address = useAddress()
  return <PageHead title={texts.newTitle} back={{ href: address('invoices'), label: title }} />
}

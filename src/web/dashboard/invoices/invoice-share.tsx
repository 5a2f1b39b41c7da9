import type { InvoiceWithLines } from '../../api/calls.ts'
import { Icon } from '../../parts/icon.tsx'
import { Section } from '../shell/record.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'

/** The server returns the address only to members who can change invoices. The page of a void invoice shows only that it is void. */
export const InvoiceShare = ({ invoice: { status, url } }: { readonly invoice: InvoiceWithLines }) => {
  const { share: texts } = useInvoiceTexts()
  if (url === null || status === 'void') return null
  return (
    <Section title={texts.title}>
      <p class="quiet">{status === 'paid' ? texts.paidWhat : texts.what}</p>
      <div class="share">
        <code data-value={url}>{url}</code>
        <a class="button" href={url} target="_blank" rel="noreferrer">
          <Icon name="open" small />
          {texts.open}
        </a>
      </div>
    </Section>
  )
}

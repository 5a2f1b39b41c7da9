import { useRoute } from 'preact-iso'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { NoteBox } from '../../parts/note.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useInvoice } from '../billing-records/use-invoice.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useBillingSettings } from '../shell/use-billing-settings.ts'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import { InvoiceEditor } from './invoice-editor.tsx'
import { useInvoicesTexts } from './texts.ts'

export const EditInvoicePage = () => {
  const { id = '' } = useRoute().params
  const texts = useInvoiceEditorTexts()
  const { one } = useInvoicesTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const result = useInvoice(id)
  return (
    <>
      <PageHead title={texts.editTitle} back={{ href: address('invoices', id), label: one }} />
      <OwnersNote />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {invoice => {
          if (invoice.status !== 'draft') return <NoDraft invoice={invoice} />
          return canWrite && <DraftEditor invoice={invoice} />
        }}
      </Result>
    </>
  )
}

const DraftEditor = ({ invoice }: { readonly invoice: InvoiceWithLines }) => (
  <Result result={useBillingSettings()} skeleton={<SkeletonRows rows={10} />}>
    {settings => <InvoiceEditor settings={settings} invoice={invoice} />}
  </Result>
)

const NoDraft = ({ invoice: { id, number } }: { readonly invoice: InvoiceWithLines }) => {
  const texts = useInvoiceEditorTexts()
  const address = useAddress()
  return (
    <NoteBox
      tone="warn"
      title={number === null ? texts.noDraft : `${texts.noDraft}: ${number}`}
      actions={
        <a class="button" href={address('invoices', id)}>
          {texts.openInvoice}
        </a>
      }
    >
      {texts.noDraftWhat}
    </NoteBox>
  )
}

import type { CallName, Calls, InvoiceWithLines } from '../../api/calls.ts'
import { readFile } from '../../api/request.ts'
import { ShortHex } from '../../parts/address.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useAction } from '../shell/action.ts'
import { saveFile } from '../shell/download.ts'
import { shownFailure } from '../shell/failure.ts'
import { Facts, Section } from '../shell/record.tsx'
import { useScope, useShop } from '../shell/shop.ts'
import { useInvoiceTexts } from './invoice-page-texts.ts'

const types = { pdf: 'application/pdf', json: 'application/json' } as const

/** The calls that answer with a document. */
type DocumentCall = {
  [Name in CallName]: Calls[Name]['input'] extends { readonly format?: 'json' | 'pdf' } ? Name : never
}[CallName]

/** The document of an invoice, with the hashes that prove that it has not changed. */
export const InvoiceDocument = ({ invoice }: { readonly invoice: InvoiceWithLines }) => {
  const { document: texts, pdf, draftPdf } = useInvoiceTexts()
  const { id, number, status, documentHash } = invoice
  return (
    <Section title={texts.title}>
      <p class="quiet">{status === 'draft' ? texts.draftWhat : texts.what}</p>
      <DocumentFiles
        call="getInvoiceDocument"
        id={id}
        name={number ?? `draft-${id}`}
        pdf={status === 'draft' ? draftPdf : pdf}
      />
      {documentHash !== null && <DocumentHashes {...invoice} />}
    </Section>
  )
}

type DocumentFilesProps = {
  readonly call: DocumentCall
  readonly id: string
  readonly name: string
  /** What the PDF is called. */
  readonly pdf: string
  readonly formats?: readonly (keyof typeof types)[]
}

/** Buttons that save the document. The server answers only with a token, so a link would not do. */
export const DocumentFiles = ({ call, id, name, pdf, formats = ['pdf', 'json'] }: DocumentFilesProps) => {
  const texts = useInvoiceTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const action = useAction()
  const save = (format: keyof typeof types) =>
    action.run(async () => {
      const file = await session.run(bearer => readFile(call, { merchantId, id, format }, { bearer }))
      saveFile(`${name.replaceAll(/[^\w.-]/g, '-')}.${format}`, types[format], file)
    })
  return (
    <>
      <p class="buttons">
        {formats.map(format => (
          <button
            key={format}
            type="button"
            class="button button--small"
            aria-disabled={action.isRunning}
            onClick={() => save(format)}
          >
            <Icon name="download" small />
            {format === 'pdf' ? pdf : texts.json}
            <span class="sr"> {name}</span>
          </button>
        ))}
      </p>
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)}>{texts.fileFailed}</ErrorNote>}
    </>
  )
}

type HashesProps = Pick<InvoiceWithLines, 'documentHash' | 'previousDocumentHash'>

/** The hash of a document, and the one that it contains. */
export const DocumentHashes = ({ documentHash, previousDocumentHash }: HashesProps) => {
  const { document: texts } = useInvoiceTexts()
  return (
    <Facts
      facts={[
        [texts.hash, documentHash !== null && <ShortHex value={documentHash} what={texts.hash} />],
        [
          texts.previous,
          previousDocumentHash === null ? texts.first : <ShortHex value={previousDocumentHash} what={texts.previous} />,
        ],
      ]}
    />
  )
}

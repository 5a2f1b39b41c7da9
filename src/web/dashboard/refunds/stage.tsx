import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RefundWithAttention } from '../../api/calls.ts'
import type { ApiError } from '../../api/request.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { explorerLink, findChain } from '../shell/chains.ts'
import { useCanWrite } from '../shell/shop.ts'
import { Attention, movedNothing, RetryRefund } from './decisions.tsx'
import { eraseNote, readNote, type SigningNote } from './notes.ts'
import { isManual, networkOf } from './refund-state.ts'
import { isAsking, signAgain, signingOf } from './signing.ts'
import { useRefundTexts } from './texts.ts'
import { walletWords } from './wallet-words.ts'
import { HashWay, reportingWords, SignWays } from './ways.tsx'

type StageProps = {
  readonly refund: RefundWithAttention
  /** Why the server has rejected a noted hash. */
  readonly refusal: ApiError | undefined
  /** What was refused because the refund has changed. */
  readonly notice: string | undefined
  readonly look: (refusal?: string) => Promise<unknown>
}

/** What has to be done next. */
export const Stage = ({ refund, refusal, notice, look }: StageProps) => {
  const canWrite = useCanWrite()
  const ref = useFocusKept()
  const { id, status, attention, crypto } = refund
  // While the wallet is asked, the state of the wallet counts, not the note.
  const note = isAsking(id) ? undefined : readNote(id)
  const isSent = canWrite && note?.hash != null && note.hash !== crypto.txHash
  const stages = {
    requires_destination: <NeedsAddress refund={refund} />,
    requires_signature: <ToSign refund={refund} note={note} look={look} />,
    processing: <Processing refund={refund} look={look} />,
    processed: null,
    failed: <Failed refund={refund} look={look} />,
    canceled: null,
  }
  return (
    <div class="decision" ref={ref}>
      {notice !== undefined && <NoteBox title={notice} tone="bad" alert />}
      {isSent && <Sent refund={refund} hash={note.hash ?? ''} refusal={refusal} />}
      {(!isSent || refusal !== undefined) && (
        <>
          {attention && <Attention refund={refund} />}
          {stages[status]}
        </>
      )}
    </div>
  )
}

/** The focus goes to the heading when what had it is gone, because the refund has come to its next stage. */
const useFocusKept = () => {
  const ref = useRef<HTMLDivElement>(null)
  const hadFocus = ref.current?.contains(document.activeElement) ?? false
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) document.querySelector('h1')?.focus()
  })
  return ref
}

type RefundProps = Pick<StageProps, 'refund'>

const NeedsAddress = ({ refund: { claimUrl, attention } }: RefundProps) => {
  const texts = useRefundTexts()
  if (attention) return null
  if (claimUrl === null) return <NoteBox title={texts.addressTitle}>{texts.addressViewer}</NoteBox>
  return (
    <>
      <NoteBox title={texts.addressTitle}>{texts.addressWhat}</NoteBox>
      <div class="share">
        <code data-value={claimUrl}>{claimUrl}</code>
        <CopyButton value={claimUrl} what={texts.link}>
          {texts.copyLink}
        </CopyButton>
      </div>
    </>
  )
}

const Viewer = () => {
  const texts = useRefundTexts()
  return <NoteBox title={texts.viewerTitle}>{texts.viewerWhat}</NoteBox>
}

const ToSign = ({
  refund,
  note,
  look,
}: Pick<StageProps, 'refund' | 'look'> & { readonly note: SigningNote | undefined }) => {
  const texts = useRefundTexts()
  const canWrite = useCanWrite()
  if (!canWrite) return <Viewer />
  if (!isManual(refund)) {
    const isSandbox = findChain(refund.crypto.chainId)?.isSandbox ?? false
    return (
      <NoteBox title={isSandbox ? texts.sandboxTitle : texts.signerTitle} tone="info">
        {isSandbox ? texts.sandboxWhat : texts.signerWhat}
      </NoteBox>
    )
  }
  // Already sent: the panel above shows it.
  if (note?.hash) return null
  if (note === undefined) return <SignWays refund={refund} look={look} />
  return (
    <>
      <Unsure refund={refund} note={note} />
      <HashWay refund={refund} look={look} title={texts.hashSentTitle} what={texts.hashWhat} isOpen />
    </>
  )
}

/** The wallet was asked and did not answer: the transaction may have been sent. */
const Unsure = ({ refund: { id, crypto }, note }: RefundProps & { readonly note: SigningNote }) => {
  const texts = useRefundTexts()
  const { formats } = useReader()
  const signing = signingOf(id)
  return (
    <NoteBox
      title={texts.unsureTitle}
      tone="warn"
      alert
      actions={
        <button type="button" class="button" onClick={() => signAgain(id)}>
          {texts.signAnew}
        </button>
      }
    >
      {signing?.phase === 'troubled' && <span class="line">{walletWords(signing.problem, texts, crypto.chainId)}</span>}
      <span class="line">{texts.unsureSince(formats.exact(note.at))}</span>
      <span class="line">
        {texts.unsureThere} {crypto.tokenAddress !== null && texts.unsureFound}
      </span>
      <span class="line">{texts.unsureAsks}</span>
      <span class="line">{texts.unsureNothing}</span>
    </NoteBox>
  )
}

type SentProps = RefundProps & { readonly hash: string; readonly refusal: ApiError | undefined }

/** Sent from this browser, but not yet reported to the server, or rejected by it. */
const Sent = ({ refund: { id, crypto }, hash, refusal }: SentProps) => {
  const texts = useRefundTexts()
  const href = explorerLink(crypto.chainId, 'tx', hash)
  const isStray = refusal !== undefined
  return (
    <NoteBox
      title={isStray ? texts.strayTitle : texts.sentTitle}
      tone="warn"
      alert
      actions={
        isStray && (
          <button type="button" class="button" onClick={() => eraseNote(id)}>
            {texts.markChecked}
          </button>
        )
      }
    >
      <span class="line">
        {href === undefined ? (
          <code>{hash}</code>
        ) : (
          <a href={href} target="_blank" rel="noreferrer">
            <code>{hash}</code>
          </a>
        )}
      </span>
      {isStray ? `${reportingWords(refusal, texts)} ${texts.strayWhat}` : texts.sentWhat}
    </NoteBox>
  )
}

const Processing = ({ refund, look }: Pick<StageProps, 'refund' | 'look'>) => {
  const texts = useRefundTexts()
  const canWrite = useCanWrite()
  return (
    <>
      {!refund.attention && (
        <NoteBox title={texts.processingTitle} tone="info">
          {texts.processingWhat}
        </NoteBox>
      )}
      {canWrite && <HashWay refund={refund} look={look} title={texts.replacedTitle} what={texts.replacedWhat} />}
    </>
  )
}

const Failed = ({ refund, look }: Pick<StageProps, 'refund' | 'look'>) => {
  const texts = useRefundTexts()
  const canWrite = useCanWrite()
  const { failureReason, attention } = refund
  const reason = failureReason && texts.failures[failureReason].long
  if (attention)
    return (
      <NoteBox title={texts.failedTitle} tone="bad">
        {reason} {texts.failedAttention}
      </NoteBox>
    )
  return (
    <>
      <NoteBox title={texts.failedTitle} tone="bad" actions={canWrite && <RetryRefund refund={refund} />}>
        {reason} {!movedNothing(refund) && <strong>{texts.failedCheck}</strong>}{' '}
        {canWrite ? texts.failedWhat : texts.viewerTitle}
      </NoteBox>
      {canWrite && (
        <HashWay refund={refund} look={look} title={texts.otherTitle} what={texts.otherWhat(networkOf(refund))} />
      )}
    </>
  )
}

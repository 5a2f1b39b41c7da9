import { useState } from 'preact/hooks'
import type { RefundWithAttention } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useAction } from '../shell/action.ts'
import { useWallets } from '../shell/browser-wallets.ts'
import { shownFailure } from '../shell/failure.ts'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useScope, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { hashIn } from './reporting.ts'
import { isAsking, signByWallet, signingOf } from './signing.ts'
import { type RefundTexts, useRefundTexts } from './texts.ts'
import { walletWords } from './wallet-words.ts'

type WayProps = {
  readonly refund: RefundWithAttention
  /** Reads the refund again, and reports a noted hash before. What was refused stays above its new state. */
  readonly look: (refusal?: string) => Promise<unknown>
}

/** The ways to pay a refund that a member signs. */
export const SignWays = ({ refund, look }: WayProps) => {
  const texts = useRefundTexts()
  return (
    <Section title={texts.signTitle} aside={texts.signOnce}>
      <WalletWay refund={refund} look={look} />
      <LinkWay refund={refund} />
      <HashWay refund={refund} look={look} title={texts.hashTitle} what={texts.hashWhat} />
    </Section>
  )
}

/** A button for each wallet of this browser. */
const WalletWay = ({ refund, look }: WayProps) => {
  const texts = useRefundTexts()
  const { session } = useShop()
  const { wallets, isNone } = useWallets(texts.browserWallet)
  const [isMine, setMine] = useState(false)
  const { id, merchantId, crypto } = refund
  const signing = signingOf(id)
  const isBusy = isAsking(id)
  const words = () => {
    if (isBusy && !isMine) return texts.steps.waiting
    if (signing?.phase === 'connecting') return texts.steps.connecting
    if (signing?.phase === 'confirming') return signing.isKept ? texts.steps.confirming : texts.steps.unkept
    if (signing?.phase === 'troubled') return walletWords(signing.problem, texts, crypto.chainId)
    return isNone ? texts.noWallet : texts.walletWhat
  }
  return (
    <div class="wallet-way">
      <div class="buttons">
        {wallets.map(({ id: key, name, icon, provider }) => (
          <button
            key={key}
            type="button"
            class="button button--primary"
            aria-disabled={isBusy}
            onClick={async () => {
              if (isBusy) return
              setMine(true)
              await signByWallet({ provider, refund, read: () => session.call('getRefund', { merchantId, id }) })
              setMine(false)
              await look()
            }}
          >
            {icon !== undefined && <img src={icon} alt="" width="20" height="20" />}
            {texts.payWith(name)}
          </button>
        ))}
      </div>
      <p role="status" data-tone={signing?.phase === 'troubled' ? 'bad' : undefined}>
        {words()}
      </p>
    </div>
  )
}

/** The link and its QR code are loaded when the section is opened. */
const LinkWay = ({ refund }: Pick<WayProps, 'refund'>) => {
  const texts = useRefundTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="more" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{texts.linkTitle}</summary>
      <p class="quiet">
        {texts.linkWhat} <strong>{texts.linkReport}</strong>
      </p>
      {isOpen && <PaymentLink refund={refund} />}
    </details>
  )
}

const PaymentLink = ({ refund: { id } }: Pick<WayProps, 'refund'>) => {
  const texts = useRefundTexts()
  const result = useShopQuery(['refunds', 'one', id, 'uri'], ({ merchantId, call }, signal) =>
    call('readRefundPaymentUri', { merchantId, id }, { signal }),
  ).value
  return (
    <Result result={result} skeleton={<SkeletonRows rows={4} />}>
      {({ paymentUri, qrCode }) => (
        <div class="pay-link">
          <img class="qr" alt={texts.qr} src={`data:image/svg+xml,${encodeURIComponent(qrCode)}`} />
          <div>
            <a class="uri" href={paymentUri}>
              {paymentUri}
            </a>
            <CopyButton value={paymentUri} what={texts.link}>
              {texts.copyLink}
            </CopyButton>
          </div>
        </div>
      )}
    </Result>
  )
}

type HashProps = WayProps & { readonly title: string; readonly what: string; readonly isOpen?: boolean }

/** A form for the hash of a transaction that was sent elsewhere. */
export const HashWay = ({ refund, look, title, what, isOpen = false }: HashProps) => {
  const texts = useRefundTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const action = useAction()
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string>()
  const report = async (form: HTMLFormElement) => {
    const txHash = hashIn(text)
    const refuse = (words: string) => {
      setFault(words)
      form.querySelector('input')?.focus()
    }
    if (txHash === undefined) return refuse(texts.reporting.noHash)
    setFault(undefined)
    let refusal: string | undefined
    const isDone = await action.run(async () => {
      try {
        const { id } = refund
        const named = await session.call('nameRefundTransaction', { merchantId, id, txHash })
        if (named.status === 'failed' && named.crypto.txHash === txHash) return refuse(texts.reporting.failedOne)
        setText('')
      } catch (error) {
        const words = reportingWords(error, texts)
        // The refund has changed: this form may not be there in its new state.
        if (error instanceof ApiError && error.details.status !== undefined) refusal = words
        refuse(words)
      }
    })
    if (isDone) await look(refusal)
  }
  return (
    <details class="more" open={isOpen}>
      <summary>{title}</summary>
      <form
        class="form"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void report(event.currentTarget)
        }}
      >
        <TextField
          label={texts.hash}
          hint={what}
          error={fault}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
          placeholder="0x…"
        />
        {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
        <div class="buttons">
          <Submit action={action}>
            <Icon name="check" small />
            {texts.report}
          </Submit>
        </div>
      </form>
    </details>
  )
}

/** Why a transaction was not accepted. */
export const reportingWords = (error: unknown, { reporting }: RefundTexts): string => {
  if (!(error instanceof ApiError)) return reporting.unreachable
  const { code, status, param, details } = error
  if (param === 'txHash' && status === 409) return reporting.used
  if (details.attention) return reporting.movedMoney
  if (details.status === 'processing') return reporting.stillKnown
  if (details.status !== undefined) return reporting.otherState(String(details.status).replaceAll('_', ' '))
  if (code === 'refund_exceeds_remaining') return reporting.tooLate
  if (code === 'credit_exceeds_balance') return reporting.creditSpent
  if (code === 'insufficient_role') return reporting.role
  return status === 400 ? reporting.noHash : reporting.unreachable
}

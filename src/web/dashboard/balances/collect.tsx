import { useEffect, useState } from 'preact/hooks'
import type { Balance, Collection } from '../../api/calls.ts'
import { FullAddress, ShortHex, shortenMiddle } from '../../parts/address.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { askForAccount, type Provider, sendTransaction } from '../../wallets/wallet-steps.ts'
import { useRefundTexts } from '../refunds/texts.ts'
import { walletWords } from '../refunds/wallet-words.ts'
import { useAction } from '../shell/action.ts'
import { hexNumber, putOnChain, useWallets } from '../shell/browser-wallets.ts'
import { explorerLink } from '../shell/chains.ts'
import { shownFailure } from '../shell/failure.ts'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useBalanceTexts } from './texts.ts'

type CollectProps = { readonly balance: Balance; readonly onClose: () => void }

/**
 * Collects an asset to its receiving address, by one transaction after the other. Sending one twice moves nothing twice: what
 * was collected is not at its address any more.
 */
export const Collect = ({ balance, onClose }: CollectProps) => {
  const texts = useBalanceTexts()
  const { session } = useShop()
  const scope = useScope()
  const action = useAction()
  const [collection, setCollection] = useState<Collection>()
  const [sent, setSent] = useState<string>()
  const { chainId, asset, treasury, network } = balance
  const prepare = () => {
    setSent(undefined)
    setCollection(undefined)
    return action.run(async () =>
      setCollection(await session.call('createCollection', { ...scope, chainId, asset, treasury })),
    )
  }
  useEffect(() => void prepare(), [])
  return (
    <Dialog
      open
      title={texts.collectTitle(network)}
      lead={texts.collectWhat}
      onClose={onClose}
      footer={
        <button type="button" class="button" onClick={onClose}>
          {texts.close}
        </button>
      }
    >
      <div class="form">
        {action.error !== undefined && (
          <ErrorNote failure={shownFailure(action.error)} onRetry={() => void prepare()} />
        )}
        {action.isRunning && <SkeletonRows rows={3} />}
        {collection && <Step collection={collection} sent={sent} onSent={setSent} onNext={() => void prepare()} />}
      </div>
    </Dialog>
  )
}

type StepProps = {
  readonly collection: Collection
  readonly sent: string | undefined
  readonly onSent: (hash: string) => void
  readonly onNext: () => void
}

const Step = ({ collection, sent, onSent, onNext }: StepProps) => {
  const texts = useBalanceTexts()
  const { formats } = useReader()
  const { step, treasury, addresses, amounts, remaining, leftOut, otherTreasuries, unsignedTransaction } = collection
  const count = addresses === 1 ? texts.oneAddress : texts.addressCount(formats.count(addresses))
  const words = {
    collect: texts.step.collect(count, shortenMiddle(treasury ?? '')),
    deploy_factory: texts.step.deploy,
    nothing: texts.step.nothing,
    impossible: texts.step.impossible,
  }
  return (
    <>
      {amounts.map(each => (
        <p key={each.asset} class="amount">
          {formats.units(each.amount, each)}
        </p>
      ))}
      <p>
        {words[step]} {unsignedTransaction && texts.gas(formats.count(unsignedTransaction.gas))}{' '}
        {step === 'collect' && remaining > 0 && texts.remaining(formats.count(remaining))}
      </p>
      {step === 'collect' && treasury !== null && <FullAddress value={treasury} />}
      {leftOut.length > 0 && (
        <NoteBox title={texts.leftOut}>
          {leftOut.map(each => (
            <span key={`${each.reason} ${each.asset}`} class="line">
              {`${formats.units(each.amount, each)}: ${texts.reasons[each.reason]}.`}
            </span>
          ))}
        </NoteBox>
      )}
      {otherTreasuries.length > 0 && step === 'nothing' && (
        <NoteBox title={texts.others}>
          {otherTreasuries.map(each => (
            <code key={each.treasury} class="line">
              {each.treasury}
            </code>
          ))}
        </NoteBox>
      )}
      {sent === undefined ? (
        unsignedTransaction && <Send collection={collection} onSent={onSent} />
      ) : (
        <Sent collection={collection} hash={sent} onNext={onNext} />
      )}
    </>
  )
}

const Send = ({ collection, onSent }: Pick<StepProps, 'collection' | 'onSent'>) => {
  const texts = useBalanceTexts()
  const refundTexts = useRefundTexts()
  const refresh = useRefresh()
  const action = useAction()
  const { wallets, isNone } = useWallets(texts.browserWallet)
  const { unsignedTransaction, chainId } = collection
  const send = (provider: Provider) =>
    action.run(async () => {
      if (!unsignedTransaction) return
      const from = await askForAccount(provider)
      await putOnChain(provider, chainId)
      const { to, data, value, gas } = unsignedTransaction
      const transaction = { from, to, data, value: hexNumber(value), gas: hexNumber(gas), chainId: hexNumber(chainId) }
      onSent(await sendTransaction(provider, transaction, NOT_SENT))
      await refresh('balances')
    })
  const words = () => {
    if (action.isRunning) return texts.waiting
    if (action.error !== undefined) return walletWords(action.error, refundTexts, chainId)
    return isNone ? texts.noWallet : undefined
  }
  return (
    <div class="wallet-way">
      <div class="buttons">
        {wallets.map(({ id, name, provider }) => (
          <button
            key={id}
            type="button"
            class="button button--primary"
            aria-disabled={action.isRunning}
            onClick={() => send(provider)}
          >
            {texts.wallet(name)}
          </button>
        ))}
      </div>
      <p role="status" data-tone={action.error === undefined ? undefined : 'bad'}>
        {words()}
      </p>
    </div>
  )
}

/** After them nothing was sent. After others it may have been, which the balances show. */
const NOT_SENT = [4100, 4200, -32601, -32602]

type SentProps = { readonly collection: Collection; readonly hash: string; readonly onNext: () => void }

const Sent = ({ collection: { chainId, remaining, step }, hash, onNext }: SentProps) => {
  const texts = useBalanceTexts()
  const href = explorerLink(chainId, 'tx', hash)
  return (
    <NoteBox
      title={texts.sent}
      tone="good"
      alert
      actions={
        (remaining > 0 || step === 'deploy_factory') && (
          <button type="button" class="button" onClick={onNext}>
            {texts.next}
          </button>
        )
      }
    >
      <ShortHex value={hash} what={texts.transaction} {...(href !== undefined && { href })} />
    </NoteBox>
  )
}

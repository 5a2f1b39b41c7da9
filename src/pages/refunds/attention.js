import { busy, button, el, fault } from './elements.js'
import { amountOf, chainOf, looked, networkOf } from './words.js'

/** Why the refund needs attention, and what a member can do about it. */
export const attentionPanel = (state, doing) => {
  const { refund, mayAct } = state
  const { destination, crypto } = refund
  const { what, isMoney, says } = needs(refund)
  return el(
    'div',
    { class: 'panel warn attention' },
    el('p', {}, el('strong', {}, 'This refund needs your attention. '), what),
    isMoney &&
      chainOf(refund)?.explorerUrl && [
        crypto.txHash && el('p', {}, looked(refund, 'tx', crypto.txHash, 'Show the transaction')),
        destination && el('p', {}, looked(refund, 'address', destination, 'Show the destination address')),
      ],
    mayAct && says?.map(say => sayButton(say, doing)),
  )
}

/** The first click explains the consequences; the second click confirms. */
const sayButton = ({ label, follows, sure, act, refused }, doing) => {
  const place = el('div', { class: 'say' })
  const run = pressed =>
    busy(pressed, async () => {
      place.querySelector('.fault')?.remove()
      await act(doing).catch(error => place.append(fault(refused(error))))
    })
  const first = button(label, () => (follows ? ask() : run(first)), { class: 'second' })
  const ask = () => {
    const yes = button(sure, () => run(yes))
    const no = button('Go back', () => show(first), { class: 'second' })
    show(el('p', {}, follows), yes, ' ', no)
    yes.focus()
  }
  const show = (...content) => {
    place.replaceChildren(...content)
    if (content[0] === first) first.focus()
  }
  place.append(first)
  return place
}

const notAsked = ({ status, code }) => {
  if (code === 'refund_exceeds_remaining')
    return 'Nothing was changed. The payment no longer has this amount: it was refunded in another way in the meantime.'
  if (code === 'insufficient_role') return 'Your role does not allow this. Ask an owner or a developer.'
  return status === 409 ? undefined : 'The server cannot be reached. Nothing was changed. Try again in a moment.'
}

const lookedAt = {
  label: 'Mark as checked',
  act: doing => doing.resolve('dismiss'),
  refused: error => notAsked(error) ?? 'This cannot be marked as checked. It disappears when the cause is resolved.',
}

const accepted = refund => ({
  label: 'Mark as paid',
  follows: `Confirm only if you have seen on the chain that the address has received ${amountOf(refund)} for this refund. The refund is then paid. You cannot undo this.`,
  sure: 'Confirm payment',
  act: doing => doing.resolve('accept'),
  refused: error =>
    notAsked(error) ??
    (refund.status === 'failed'
      ? 'Nothing was changed. The money was moved by another transaction, not by the transaction of this refund. The refund stays failed.'
      : FINDS_OUT),
})

const failed = {
  label: 'Mark as failed',
  follows:
    'Confirm only if you have seen on the chain that this transaction has not paid the address, and can no longer do so. The refund is then failed. Nothing is paid again until you start it.',
  sure: 'Confirm failure',
  act: doing => doing.resolve('fail'),
  refused: error => notAsked(error) ?? FINDS_OUT,
}

const FINDS_OUT =
  'Nothing was changed. The server is still checking the transaction, or no node knows it. You can decide only when the server cannot.'

const neverSent = {
  label: 'Sign again',
  follows:
    'Confirm only if the hash was mistyped, or the wallet never sent the transaction. Check the activity in the wallet first. If the first transaction is sent later, the customer is paid twice.',
  sure: 'Confirm, sign again',
  act: doing => doing.retry(),
  refused: error =>
    notAsked(error) ?? 'Nothing was changed. The chain knows the transaction, or your signer can send it again.',
}

const needs = refund => {
  if (!chainOf(refund))
    return {
      what: `${networkOf(refund)} is not enabled on this server, so the refund cannot be processed. Contact the operator of the server.`,
    }
  switch (refund.status) {
    case 'requires_destination':
      return {
        what: 'The link for the customer has expired. No money was sent. Cancel this refund and create another one.',
      }
    case 'requires_signature':
      return {
        what: 'Your refund signer has not been able to sign this refund for a day. No money was sent. The operator of the server can see the reason. If the address does not accept money, cancel this refund and create another one.',
      }
    case 'processing':
      return {
        what: 'The nodes do not know the transaction, or cannot show its result. Check the transaction on the chain. Then report the right hash, or choose the result.',
        isMoney: true,
        says: [accepted(refund), failed, neverSent],
      }
    default:
      return {
        what:
          refund.failureReason === 'unproven'
            ? 'A member has stated that the money did not arrive. Check this before the refund is signed again.'
            : 'Money was moved unexpectedly: the refund may have been paid twice, with too much money, or after it was canceled.',
        isMoney: true,
        says: [...(refund.status === 'failed' ? [accepted(refund)] : []), lookedAt],
      }
  }
}

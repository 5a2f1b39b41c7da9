import { busy, button, el, fault } from './elements.js'
import { amountOf, chainOf, looked, networkOf } from './words.js'

/** What does not come by itself, as far as the refund tells, and what a person can say of it who has looked. */
export const attentionPanel = (state, doing) => {
  const { refund, mayAct } = state
  const { destination, crypto } = refund
  const { what, isMoney, says } = needs(refund)
  return el(
    'div',
    { class: 'panel warn attention' },
    el('p', {}, el('strong', {}, 'Look at this one. '), what),
    isMoney &&
      chainOf(refund)?.explorerUrl && [
        crypto.txHash && el('p', {}, looked(refund, 'tx', crypto.txHash, 'Its transaction')),
        destination && el('p', {}, looked(refund, 'address', destination, 'What its address has received')),
      ],
    mayAct && says?.map(say => sayButton(say, doing)),
  )
}

/** Pressed once it says what follows, pressed again it is done. */
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
    const no = button('Not yet', () => show(first), { class: 'second' })
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
    return 'The payment has not got the amount any more: it has been refunded otherwise meanwhile.'
  if (code === 'insufficient_role') return 'Your role may not do this.'
  return status === 409 ? undefined : 'The service could not be told. Try again in a moment.'
}

const lookedAt = {
  label: 'I have looked at it',
  act: doing => doing.resolve('dismiss'),
  refused: error => notAsked(error) ?? 'This ends with its cause, and cannot be put away before.',
}

const accepted = refund => ({
  label: 'The money has come',
  follows: `Only if you have seen on the chain that the address has received ${amountOf(refund)} for this refund. It counts as paid then, and that cannot be taken back.`,
  sure: 'Yes, it is paid',
  act: doing => doing.resolve('accept'),
  refused: error =>
    notAsked(error) ??
    (refund.status === 'failed'
      ? 'The money that moved came with another transaction than its own: this one stays failed.'
      : FINDS_OUT),
})

const failed = {
  label: 'The money has not come',
  follows:
    'Only if you have seen on the chain that this transaction has not paid the address, and cannot any more. The refund has failed then. Nothing is paid again before you ask for it.',
  sure: 'Yes, it has failed',
  act: doing => doing.resolve('fail'),
  refused: error => notAsked(error) ?? FINDS_OUT,
}

const FINDS_OUT =
  'The house is still finding this out by itself, or does not know the transaction at all. It takes your word only once it cannot.'

const neverSent = {
  label: 'It was never sent: sign it again',
  follows:
    'Only if the hash was mistyped, or the wallet has never sent it: look into its activity first. If it comes after all, the customer is paid twice.',
  sure: 'Yes, sign it again',
  act: doing => doing.retry(),
  refused: error => notAsked(error) ?? 'The chain knows its transaction, or your signer may send it again.',
}

const needs = refund => {
  if (!chainOf(refund)) return { what: `${networkOf(refund)} is switched off here: nothing more is heard of it.` }
  switch (refund.status) {
    case 'requires_destination':
      return { what: 'The link of the customer has expired. Cancel this refund and start another one.' }
    case 'requires_signature':
      return {
        what: 'Your refund signer has tried to sign it for a day. The operator of this house sees why. Where its address refuses money, cancel this refund and start another one.',
      }
    case 'processing':
      return {
        what: 'Nodes do not know its transaction, or cannot say what became of it. Look it up: name the right one if it has another hash, or say what you have seen.',
        isMoney: true,
        says: [accepted(refund), failed, neverSent],
      }
    default:
      return {
        what:
          refund.failureReason === 'unproven'
            ? 'One of you has said that its money has not come. Make sure of that before it is signed again.'
            : 'Money has moved that nobody waited for: it may have been paid twice, too much, or although it was over.',
        isMoney: true,
        says: [...(refund.status === 'failed' ? [accepted(refund)] : []), lookedAt],
      }
  }
}

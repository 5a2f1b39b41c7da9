import { el, fact } from './elements.js'
import { addressBox } from './panels.js'
import { amountOf, chainOf, looked, moneyOf, networkOf, reasons, states, timeOf } from './words.js'

export const countOf = refund => {
  const needed = chainOf(refund)?.confirmations
  return `${refund.crypto.confirmations}${needed ? ` of about ${needed}` : ''}`
}

/** The facts of a refund: amount, recipient, network and status. */
export const headOf = ({ refund, merchant }) => {
  const { destination, crypto, reason, status } = refund
  return [
    el('p', { class: 'quiet' }, 'Refund by ', el('bdi', {}, merchant.name)),
    el(
      'h1',
      { tabindex: '-1' },
      el('span', { class: 'amount' }, moneyOf(refund)),
      ' ',
      el('span', { class: `chip ${status}` }, states[status]),
    ),
    !refund.livemode && el('p', { class: 'test' }, 'Test mode: no real money'),
    el(
      'dl',
      { class: 'facts' },
      fact('Customer receives', amountOf(refund)),
      fact('Network', networkOf(refund)),
      reason && fact('Reason', reasons[reason] ?? reason),
      fact('Created', timeOf(refund.createdAt)),
      fact('Refund', el('code', {}, refund.id)),
      fact('Payment', el('code', {}, refund.paymentId)),
      crypto.txHash && fact('Transaction', el('code', {}, looked(refund, 'tx', crypto.txHash))),
      status === 'processing' && fact('Confirmations', el('span', { class: 'confirmations' }, countOf(refund))),
    ),
    destination && [el('h2', { class: 'to' }, 'Destination address'), addressBox(destination)],
  ]
    .flat()
    .filter(Boolean)
}

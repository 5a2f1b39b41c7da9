import { attentionPanel } from './attention.js'
import { busy, button, copyButton, el, fault } from './elements.js'
import { namingFault } from './naming.js'
import { sentPanel, unsurePanel } from './panels.js'
import { hashWay, linkWay, walletWay } from './ways.js'
import { chainOf, failures, networkOf } from './words.js'

/**
 * The actions for a refund, by status. `doing` has the functions of the page: `pay`, `name`, `retry`, `resolve`, `paint`,
 * and `signal`, which is aborted when the page is left.
 */
export const stageOf = (state, doing) => {
  const { refund, mayAct, note, attention, notice } = state
  const stage = [
    notice && fault(notice),
    attention && attentionPanel(state, doing),
    ...(stages[refund.status]?.(state, doing) ?? []),
  ]
  if (mayAct && note?.hash && note.hash !== refund.crypto.txHash)
    return [sentPanel(state, doing), ...(note.fault ? stage : [])]
  return stage
}

const onlyLook = ({ merchant }) => [
  el(
    'p',
    { class: 'panel' },
    'Your role for ',
    el('bdi', {}, merchant.name),
    ` is ${merchant.role}: you can view this refund. An owner or a developer can sign it.`,
  ),
]

const toBeSigned = (state, doing) => {
  const { refund, mayAct, note } = state
  if (!mayAct) return onlyLook(state)
  if (!refund.unsignedTransaction) return [el('p', { class: 'panel' }, signerWords(refund))]
  const sent = 'Any wallet can have sent it. The server checks the transaction on the chain.'
  // Already sent: the panel above shows it.
  if (note?.hash) return []
  if (note) return [unsurePanel(state, doing), hashWay('Report a transaction that was sent', sent, doing.name, true)]
  return [
    el('p', { class: 'quiet' }, 'Choose one way to pay. Pay only once.'),
    walletWay(state, doing.pay, doing.signal),
    linkWay(state),
    hashWay('Report a transaction that was already sent', sent, doing.name),
  ]
}

const signerWords = refund =>
  chainOf(refund)?.isSandbox
    ? 'In test mode the server signs automatically. You do not have to do anything.'
    : 'Your refund signer signs this refund automatically. If it takes long, the operator of the server can see the reason.'

const stages = {
  requires_destination: ({ refund, mayAct }) => [
    el('p', { class: 'panel' }, 'Waiting for the address of the customer. No money was sent yet.'),
    mayAct && refund.claimUrl
      ? [
          el(
            'p',
            {},
            'Send this link to the customer. Anyone with the link can enter an address, so treat it like a password:',
          ),
          el('p', { class: 'hash' }, refund.claimUrl),
          copyButton('link', refund.claimUrl),
        ]
      : el('p', {}, 'Owners and developers can see the link for the customer while it is valid.'),
  ],

  requires_signature: toBeSigned,

  processing: ({ mayAct }, { name }) => [
    el(
      'p',
      { class: 'panel' },
      'The transaction is known. The refund is paid when the transaction is final. This page updates automatically.',
    ),
    mayAct &&
      hashWay(
        'Report a replaced transaction',
        'If you sped up the transaction in your wallet, it has a new hash. The new hash is accepted when the chain no longer knows the first transaction.',
        name,
      ),
  ],

  processed: () => [el('p', { class: 'panel good' }, 'Paid. The transaction is final on the chain.')],

  canceled: () => [el('p', { class: 'panel' }, 'Canceled. Do not send money for this refund.')],

  failed: ({ refund, mayAct, merchant, attention }, { name, retry }) => {
    const again = button('Sign again', () =>
      busy(again, async () => {
        again.parentElement.querySelector('.fault')?.remove()
        await retry().catch(error => again.before(fault(namingFault(error))))
      }),
    )
    const { failureReason: reason } = refund
    const why = el(
      'div',
      { class: 'panel warn' },
      el('p', {}, el('strong', {}, 'This refund was not paid.')),
      el('p', {}, failures[reason] ?? '', ' ', el('code', {}, reason)),
    )
    if (mayAct && attention)
      return [why, el('p', {}, 'Check it and mark it as checked above. Then it can be signed again.')]
    return [
      why,
      mayAct
        ? [
            !['reverted', 'dropped'].includes(reason) &&
              el('p', {}, el('strong', {}, 'The transaction may have moved money. Check it before you pay again.')),
            el('p', {}, 'To pay this refund, sign it again, or report a transaction that pays it.'),
            again,
            hashWay('Report another transaction', `It must pay the address above, on ${networkOf(refund)}.`, name),
          ]
        : onlyLook({ merchant }),
    ]
  },
}

import { attentionPanel } from './attention.js'
import { busy, button, copyButton, el, fault } from './elements.js'
import { namingFault } from './naming.js'
import { sentPanel, unsurePanel } from './panels.js'
import { hashWay, linkWay, walletWay } from './ways.js'
import { chainOf, failures, networkOf } from './words.js'

/**
 * What can be done about a refund, by where it stands. `doing` is what the page does for it: `pay`, `name`, `retry`,
 * `resolve`, `paint`, and `signal` for when the page is left.
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
    `You are a ${merchant.role} of `,
    el('bdi', {}, merchant.name),
    ': you see this refund, and an owner or a developer signs it.',
  ),
]

const toBeSigned = (state, doing) => {
  const { refund, mayAct, note } = state
  if (!mayAct) return onlyLook(state)
  if (!refund.unsignedTransaction) return [el('p', { class: 'panel' }, signerWords(refund))]
  const sent = 'Whatever it was sent with: the house looks at it on the chain.'
  // Out already, whatever the house says to it: the panel above is about that.
  if (note?.hash) return []
  if (note) return [unsurePanel(state, doing), hashWay('It was sent: name its hash', sent, doing.name, true)]
  return [
    el('p', { class: 'quiet' }, 'Pay in one of these ways, and only once.'),
    walletWay(state, doing.pay, doing.signal),
    linkWay(state),
    hashWay('I have sent it already', sent, doing.name),
  ]
}

const signerWords = refund =>
  chainOf(refund)?.isSandbox
    ? 'In test mode the house signs by itself. There is nothing to do here.'
    : 'Your refund signer signs this one by itself. If that takes long, the operator of this house sees why.'

const stages = {
  requires_destination: ({ refund, mayAct }) => [
    el('p', { class: 'panel' }, 'The customer has yet to say where it goes.'),
    mayAct && refund.claimUrl
      ? [
          el('p', {}, 'Send them this link. Whoever has it can name an address, so treat it as you treat a password:'),
          el('p', { class: 'hash' }, refund.claimUrl),
          copyButton('link', refund.claimUrl),
        ]
      : el('p', {}, 'The link on which they do so is shown to owners and developers while it can be used.'),
  ],

  requires_signature: toBeSigned,

  processing: ({ mayAct }, { name }) => [
    el(
      'p',
      { class: 'panel' },
      'Its transaction is known. It is paid once that is final on the chain; this page shows it.',
    ),
    mayAct &&
      hashWay(
        'Has your wallet replaced the transaction?',
        'Sped up, it has another hash. The new one is taken once the chain knows nothing of the one before.',
        name,
      ),
  ],

  processed: () => [el('p', { class: 'panel good' }, 'Paid, and final on the chain.')],

  canceled: () => [el('p', { class: 'panel' }, 'It was canceled. Nothing is to be sent.')],

  failed: ({ refund, mayAct, merchant, attention }, { name, retry }) => {
    const again = button('Sign it again', () =>
      busy(again, async () => {
        again.parentElement.querySelector('.fault')?.remove()
        await retry().catch(error => again.before(fault(namingFault(error))))
      }),
    )
    const { failureReason: reason } = refund
    const why = el(
      'div',
      { class: 'panel warn' },
      el('p', {}, el('strong', {}, 'It has not been paid.')),
      el('p', {}, failures[reason] ?? '', ' ', el('code', {}, reason)),
    )
    if (mayAct && attention)
      return [why, el('p', {}, 'Once you have looked, say so above. Then it can be signed again.')]
    return [
      why,
      mayAct
        ? [
            !['reverted', 'dropped'].includes(reason) &&
              el('p', {}, el('strong', {}, 'It may have moved money: look at it before you pay again.')),
            el(
              'p',
              {},
              'To pay it again, have it wait for a signature once more, or name a transaction that does pay it.',
            ),
            again,
            hashWay('I have sent it again already', `On ${networkOf(refund)}, to the address above.`, name),
          ]
        : onlyLook({ merchant }),
    ]
  },
}

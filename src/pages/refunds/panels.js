import { busy, button, el, fault } from './elements.js'
import { eraseNote } from './notes.js'
import { chainOf, inFours, looked, networkOf, timeOf } from './words.js'

/** Asked, and no answer: it may be out. */
export const unsurePanel = ({ note, trouble, refund }, { paint }) =>
  el(
    'div',
    { class: 'panel warn', role: 'alert' },
    el('p', {}, el('strong', {}, 'It is not certain whether this has been sent.')),
    trouble && el('p', {}, trouble),
    el(
      'p',
      {},
      'It was handed to a wallet in this browser on ',
      timeOf(note.at),
      ', and no answer came back. Look into the activity of that wallet first:',
    ),
    el(
      'ul',
      {},
      el(
        'li',
        {},
        'It is there: name its hash below.',
        refund.crypto.tokenAddress && ' Once it is mined it is also found by itself.',
      ),
      el('li', {}, 'It waits to be confirmed there: confirm or refuse it in the wallet.'),
      el('li', {}, 'It is not there: then nothing was sent, and you can sign again.'),
    ),
    button(
      'It was not sent: let me sign again',
      () => {
        eraseNote(refund.id)
        paint()
      },
      { class: 'second' },
    ),
  )

/** Sent from here, and the house does not know it yet, or does not take it. */
export const sentPanel = ({ note, refund }, { paint }) =>
  el(
    'div',
    { class: 'panel warn', role: 'alert' },
    el(
      'p',
      {},
      el(
        'strong',
        {},
        note.fault ? 'A transaction was sent from here that does not count' : 'Sent. Do not send it again.',
      ),
    ),
    el('p', { class: 'hash' }, looked(refund, 'tx', note.hash)),
    note.fault
      ? [
          el(
            'p',
            {},
            note.fault,
            ' It may move money all the same: look at what becomes of it before anything else is sent.',
          ),
          button(
            'I have looked at it',
            () => {
              eraseNote(refund.id)
              paint()
            },
            { class: 'second' },
          ),
        ]
      : el(
          'p',
          {},
          'The house is being told of it, and will be again until it answers. You may close this page and come back in this browser.',
        ),
  )

/** What does not come by itself, as far as the refund tells. Of money that has moved a person can say that they looked. */
export const attentionPanel = ({ refund, mayAct }, { dismiss }) => {
  const { destination } = refund
  const [what, isMoney] = whyAttention(refund)
  const done = button(
    'I have looked at it',
    () =>
      busy(done, async () => {
        done.parentElement.querySelector('.fault')?.remove()
        await dismiss().catch(() => done.before(fault('This ends with its cause, and cannot be put away before.')))
      }),
    { class: 'second' },
  )
  return el(
    'div',
    { class: 'panel warn attention' },
    el('p', {}, el('strong', {}, 'Look at this one. '), what),
    destination &&
      isMoney &&
      chainOf(refund)?.explorerUrl &&
      el('p', {}, looked(refund, 'address', destination, 'What its address has received')),
    mayAct && isMoney && done,
  )
}

const STRAY = 'Money has moved that nobody waited for: it may have been paid twice, too much, or although it was over.'

const whyAttention = refund => {
  if (!chainOf(refund)) return [`${networkOf(refund)} is switched off here: nothing more is heard of it.`, false]
  if (refund.status === 'requires_destination')
    return ['The link of the customer has expired. Cancel this refund and start another one.', false]
  if (refund.status === 'processing')
    return [
      'Nodes do not know its transaction, or do not agree about it: look it up, and name the right one if it has another hash.',
      false,
    ]
  return [STRAY, true]
}

/** The address in full, as it is compared. */
export const addressBox = text => el('p', { class: 'address' }, el('code', {}, inFours(text)))

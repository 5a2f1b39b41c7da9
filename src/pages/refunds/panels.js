import { button, el } from './elements.js'
import { eraseNote } from './notes.js'
import { inFours, looked, timeOf } from './words.js'

/** Asked, and no answer: it may be out. */
export const unsurePanel = ({ note, trouble, refund }, { signAnew }) =>
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
      ', and no answer has come back. Look into the activity of that wallet first:',
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
    button('It was not sent: let me sign again', signAnew, { class: 'second' }),
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

/** The address in full, as it is compared. */
export const addressBox = text => el('p', { class: 'address' }, el('code', {}, inFours(text)))

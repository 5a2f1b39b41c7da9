import { button, el } from './elements.js'
import { eraseNote } from './notes.js'
import { inFours, looked, timeOf } from './words.js'

/** The wallet was asked and did not answer: the transaction may have been sent. */
export const unsurePanel = ({ note, trouble, refund }, { signAnew }) =>
  el(
    'div',
    { class: 'panel warn', role: 'alert' },
    el('p', {}, el('strong', {}, 'It is not known whether this refund was sent.')),
    trouble && el('p', {}, trouble),
    el(
      'p',
      {},
      'It was passed to a wallet in this browser on ',
      timeOf(note.at),
      ', and the wallet has not answered. Check the activity in the wallet first:',
    ),
    el(
      'ul',
      {},
      el(
        'li',
        {},
        'If the transaction is there, report its hash below.',
        refund.crypto.tokenAddress && ' It is also found automatically after it was mined.',
      ),
      el('li', {}, 'If the wallet still asks for confirmation, confirm or reject it there.'),
      el('li', {}, 'If there is no transaction, nothing was sent, and you can sign again.'),
    ),
    button('Nothing was sent, sign again', signAnew, { class: 'second' }),
  )

/** Sent from this browser, but not yet reported to the server, or rejected by it. */
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
        note.fault ? 'A transaction was sent that does not pay this refund' : 'Sent. Do not send it again.',
      ),
    ),
    el('p', { class: 'hash' }, looked(refund, 'tx', note.hash)),
    note.fault
      ? [
          el('p', {}, note.fault, ' It can still move money. Check its result before you send another transaction.'),
          button(
            'Mark as checked',
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
          'The transaction is being reported to the server. This is repeated until the server answers. You can close this page and return later in this browser.',
        ),
  )

/** The full address, in groups of four for comparison. */
export const addressBox = text => el('p', { class: 'address' }, el('code', {}, inFours(text)))

/** The types of events, in the order of a payment's life. */
export const eventTypesEn = {
  choose: 'Events',
  chooseNone: 'Choose at least one event.',
  about: {
    'payment.created': 'A customer opened a checkout.',
    'payment.processing': 'Enough money is seen, not final yet.',
    'payment.underpaid': 'Less than due is seen.',
    'payment.succeeded': 'The payment is final. Deliver the order.',
    'payment.failed': 'The payment ended without the due amount.',
    'payment.expired': 'The time to pay is over, and no money was seen.',
    'payment.canceled': 'A member or your server canceled it.',
    'payment.late': 'Money arrived after the end.',
    'refund.processed': 'A refund is final.',
    'refund.failed': 'A refund transaction failed.',
    'refund.canceled': 'A refund was canceled.',
    'dispute.opened': 'A dispute was opened.',
    'dispute.resolved': 'A dispute was decided.',
    'customer.created': 'A customer was created, by you or by a first payment.',
    'customer.merged': 'A customer was merged into another one.',
  },
}

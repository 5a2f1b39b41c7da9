/**
 * The sentences of the page on which a customer enters the address for a refund. `{name}` stands for a value. `live` is sent
 * to the browser with the page.
 */
export const claimsEn = {
  title: 'Your refund from {shop}',
  errorTitle: 'Error: {title}',
  from: 'Refund from {shop}',
  invoice: 'For invoice {number}',
  enter: 'Enter your address for the refund',
  receive: 'You receive',
  network: 'Network',
  transaction: 'Transaction',
  address: 'Your address on {network}',
  sandbox: {
    what: 'You need no wallet here: the sandbox has one.',
    use: 'Use the sandbox wallet',
  },
  orWallet: 'Or use a wallet in this browser:',
  warnings: {
    own: 'Use your own wallet.',
    ownWhat: 'An exchange may not credit a refund to your deposit address. The money would be lost.',
    network: 'Use an address on {network}.',
    networkWhat: 'The refund is sent on this network only. An address of another network may not belong to you here.',
    final: 'The address cannot be changed later.',
    finalWhat: 'Money that was sent to a wrong address cannot be recovered.',
  },
  submit: 'Continue',
  faults: {
    invalid_destination:
      'The refund cannot be sent to this address. Nothing was stored. Copy the address from your wallet: it starts with 0x and has 42 characters.',
    invalid_signature:
      'The signature does not belong to this address. Nothing was stored. Sign again with the account of this address, or continue without a signature.',
  },
  confirm: {
    heading: 'Is this your address?',
    title: 'Is this your address? – {shop}',
    compare: 'Compare each character with the address in your wallet:',
    sandbox: 'This is the address of the sandbox wallet:',
    signed: 'Your wallet has confirmed that this address is yours.',
    final: 'You cannot change this later.',
    finalWhat: 'The refund will be sent to this address on {network}. It cannot be reversed.',
    submit: 'Confirm address',
    another: 'Use another address',
  },
  done: {
    heading: 'Thank you',
    title: 'Thank you – {shop}',
    what: 'Your address was received. {shop} will send {amount} to this address on {network}:',
    processing: '{shop} is sending {amount} to this address on {network}:',
    processed: '{shop} has sent {amount} to this address on {network}:',
    next: 'You do not have to do anything else.',
  },
  taken: {
    heading: 'An address was already entered',
    sentHeading: 'Your refund was sent',
    tried: 'Your address was not stored: another address was entered before.',
    waits: '{amount} will be sent to {address} on {network}.',
    processing: '{amount} is being sent to {address} on {network}.',
    processed: '{amount} was sent to {address} on {network}.',
    notYours: 'If this is not your address, contact {shop}.',
  },
  closed: {
    canceled: 'This refund was canceled',
    canceledWhat: 'No money will be sent for this refund. Contact {shop} if you have questions or need a new link.',
    expired: 'This page has expired',
    expiredWhat:
      'You can no longer enter an address here. No money was sent. Contact {shop} if you have questions or need a new link.',
  },
  none: {
    title: 'Refund not found',
    what: 'There is no refund at this address. Check the link, or ask the sender for a new one.',
  },
  live: {
    browserWallet: 'Browser wallet',
    choose: 'Open your wallet and choose the account for the refund.',
    noAccount: 'The wallet did not return an address. You can type one.',
    sign: 'Open your wallet and sign the message. It confirms that the address is yours, and costs nothing.',
    unsigned: 'The address was entered without a signature. A signature is optional: you can continue.',
    signed: 'Signed.',
  },
}

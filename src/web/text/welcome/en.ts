/** The sentences of the first page. `{name}` stands for a value. */
export const welcomeEn = {
  title: 'paymachine – start',
  skip: 'Skip to content',
  emptyHeading: 'Your payment server is running',
  emptyLead:
    'It takes crypto payments for shops, into their own wallets. It has no account yet: the first one owns it.',
  heading: 'This server takes payments for shops',
  lead: 'If you came to pay, open the link that the shop has sent you. If you run a shop, start here.',
  demoHeading: 'Watch the first day of a shop',
  demo: 'In the folder of paymachine. It starts a server of its own and does everything once: account, receiving address, payment link, payment, webhook, refund.',
  accountHeading: 'Create the first account',
  account: 'Put in your own e-mail address, password and name of the shop.',
  accountCode:
    'Put in your own e-mail address, password and name of the shop, and the code that the server printed at its start.',
  payHeading: 'Take a test payment',
  pay: 'The API reference has the next calls: an API key, a payment link, a simulated payment. Test mode needs no wallet and no real money.',
  docs: 'Open the API reference',
  refundsHeading: 'Send refunds',
  refunds: 'Sign in and send refunds from a wallet in your browser.',
  openRefunds: 'Open refunds',
  newHeading: 'Create a payment link',
  command: 'Command',
  copy: 'Copy',
  copyCommand: 'command',
  live: {
    copied: 'Copied',
    copyFailed: 'Could not copy. Select the text and copy it.',
  },
}

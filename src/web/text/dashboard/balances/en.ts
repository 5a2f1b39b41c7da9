/** The texts of the page of balances. */
export const balancesEn = {
  title: 'Balances',
  what: 'Money that customers have paid and that still is at the addresses of payments.',
  list: 'Money that can be collected',
  network: 'Network',
  amount: 'Amount',
  addresses: 'Addresses',
  treasury: 'Goes to',
  addressCount: (count: string) => `${count} payment addresses`,
  oneAddress: '1 payment address',
  more: 'There is more. It is shown when this is collected.',
  awayTitle: (networks: string) => `No answer from ${networks}`,
  awayWhat: 'Other networks are shown. The money is not affected. This page tries again by itself.',
  emptyTitle: 'Nothing waits to be collected',
  emptyWhat: 'When a payment is final, its money waits here until you collect it to your receiving address.',
  collect: 'Collect',
  collectTitle: (network: string) => `Collect on ${network}`,
  collectWhat:
    'One transaction moves the money of up to 200 addresses to your receiving address. Any wallet can send it; it only pays the gas.',
  close: 'Close',
  step: {
    collect: (addresses: string, treasury: string) => `Moves the money of ${addresses} to ${treasury}.`,
    deploy:
      'First the contract is deployed that collects the money on this network. This is done once for each network, and moves no money.',
    nothing: 'Nothing can be collected at the moment.',
    impossible:
      'This network lacks the deployment proxy, so nothing can be collected here. Contact the operator of the server.',
  },
  gas: (gas: string) => `At most ${gas} gas.`,
  remaining: (count: string) => `${count} are left for the next transaction.`,
  others: 'Money also waits for other receiving addresses:',
  leftOut: 'Not collected now:',
  reasons: {
    payment_open: 'the payment is still open',
    treasury_public: 'the receiving address is that of the sandbox, whose private key is not secret',
    treasury_differs: 'the receiving address is a contract on the network of the payment, and another one here',
    treasury_unknown: 'the network of the payment does not answer, so the receiving address cannot be compared',
    refused: 'the token refuses the transfer, or the receiving address does not accept it',
  },
  wallet: (name: string) => `Collect with ${name}`,
  browserWallet: 'Browser wallet',
  noWallet:
    'No wallet was found in this browser. Open this page in a browser with a wallet, or use bun run collect on the server.',
  waiting: 'Open your wallet and confirm the transaction there.',
  sent: 'Sent. The balances change when the transaction is mined.',
  transaction: 'Transaction',
  next: 'Prepare the next transaction',
}

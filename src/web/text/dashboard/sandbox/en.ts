/** The texts of payments from the sandbox wallet. */
export const sandboxEn = {
  title: 'Pay from the sandbox wallet',
  what: 'Real transactions on the sandbox chain, with test money. This page follows them.',
  scenario: 'What happens',
  pay: 'Run',
  running: 'Running…',
  done: (count: string) => (count === '1' ? '1 transaction was sent.' : `${count} transactions were sent.`),
  transaction: 'Transaction',
  scenarios: {
    paid: { name: 'Paid', what: 'The amount that is due now arrives.' },
    underpaid: { name: 'Underpaid', what: 'Half of it arrives.' },
    overpaid: { name: 'Overpaid', what: 'One and a half times of it arrives.' },
    late: { name: 'Late', what: 'The time to pay ends, then the amount arrives.' },
    wrong_asset: { name: 'Wrong asset', what: 'It arrives in ETH instead of TUSD, or the other way round.' },
    reverted: { name: 'Reverted', what: 'The submitted transaction fails. No money moves.' },
    reorged: { name: 'Reorged', what: 'The amount is seen, then its block is removed from the chain.' },
  },
}

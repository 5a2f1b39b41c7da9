import { el } from './elements.js'

/** Formats of amounts, addresses, times and chains. */
const chains = JSON.parse(document.getElementById('view').dataset.chains)

export const chainOf = ({ crypto }) => chains.find(({ chainId }) => chainId === crypto.chainId)

export const networkOf = refund => chainOf(refund)?.network ?? `Chain ${refund.crypto.chainId}`

/** `€49.00`. Formats a decimal string: a float would round the largest amounts. */
export const moneyOf = ({ amountMinor, currency }) => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.format(pointed(String(amountMinor), format.resolvedOptions().maximumFractionDigits))
}

/** `16.20 USDC`, or atomic units if the decimals of the token are not known. */
export const amountOf = refund => {
  const { asset, amount, tokenAddress } = refund.crypto
  const chain = chainOf(refund)
  const known =
    tokenAddress === null
      ? chain?.coin
      : chain?.tokens.find(({ address }) => address.toLowerCase() === tokenAddress.toLowerCase())
  if (!known) return `${amount} atomic units of ${asset}`
  const [whole, rest = ''] = pointed(amount, known.decimals).split('.')
  // Supported tokens are at par with a currency, so they have two decimals like money.
  const least = tokenAddress === null ? 0 : 2
  const digits = rest.slice(0, Math.max(rest.replace(/0+$/, '').length, least))
  return `${digits === '' ? whole : `${whole}.${digits}`} ${asset}`
}

const pointed = (text, digits) => {
  const padded = text.padStart(digits + 1, '0')
  const at = padded.length - digits
  return digits === 0 ? padded : `${padded.slice(0, at)}.${padded.slice(at)}`
}

/** The spaces between the groups are CSS only: a copied address has none. */
export const inFours = text => (text.match(/^0x|.{1,4}/g) ?? []).map(four => el('span', {}, four))

export const masked = text => `${text.slice(0, 6)}…${text.slice(-4)}`

export const timeOf = iso =>
  el('time', { datetime: iso }, new Date(iso).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' }))

/** A link to the block explorer of the chain, or only the text if none is known. */
export const looked = (refund, kind, text, label = text) => {
  const explorer = chainOf(refund)?.explorerUrl
  if (!explorer) return label
  return el('a', { href: `${explorer}/${kind}/${text}`, target: '_blank', rel: 'noopener noreferrer' }, label)
}

export const states = {
  requires_destination: 'Waiting for customer',
  requires_signature: 'Needs signature',
  processing: 'Processing',
  processed: 'Paid',
  failed: 'Failed',
  canceled: 'Canceled',
}

export const reasons = {
  requested_by_customer: 'Requested by the customer',
  duplicate: 'Duplicate payment',
  fraudulent: 'Fraudulent',
  overpayment: 'Overpayment',
  late_payment: 'Late payment',
  other: 'Other',
}

/** The reason for a failure, and its meaning for another payment. */
export const failures = {
  reverted: 'The transaction has failed on the chain. No money was moved; only the gas was spent.',
  wrong_recipient:
    'The transaction does not pay this refund: it pays another address, contains the ID of another refund, or is older than this refund.',
  wrong_asset: 'The transaction pays in another asset.',
  amount_mismatch: 'The transaction pays another amount.',
  dropped:
    'The transaction can never be mined: another transaction of the same wallet has replaced it. No money was moved by it.',
  unproven:
    'The result of the transaction could not be determined, and a member has stated that the money did not arrive.',
}

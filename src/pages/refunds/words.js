import { el } from './elements.js'

/** How amounts, addresses, times and chains are written. */
const chains = JSON.parse(document.getElementById('view').dataset.chains)

export const chainOf = ({ crypto }) => chains.find(({ chainId }) => chainId === crypto.chainId)

export const networkOf = refund => chainOf(refund)?.network ?? `Chain ${refund.crypto.chainId}`

/** `€49.00`. As texts of the decimal digits: a float would round the largest amounts. */
export const moneyOf = ({ amountMinor, currency }) => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.format(pointed(String(amountMinor), format.resolvedOptions().maximumFractionDigits))
}

/** `16.20 USDC`, or atomic units of what nobody has told us the decimals of. */
export const amountOf = refund => {
  const { asset, amount, tokenAddress } = refund.crypto
  const chain = chainOf(refund)
  const known =
    tokenAddress === null
      ? chain?.coin
      : chain?.tokens.find(({ address }) => address.toLowerCase() === tokenAddress.toLowerCase())
  if (!known) return `${amount} atomic units of ${asset}`
  const [whole, rest = ''] = pointed(amount, known.decimals).split('.')
  // Tokens that can be paid with are at par with a currency, and are written like money.
  const least = tokenAddress === null ? 0 : 2
  const digits = rest.slice(0, Math.max(rest.replace(/0+$/, '').length, least))
  return `${digits === '' ? whole : `${whole}.${digits}`} ${asset}`
}

const pointed = (text, digits) => {
  const padded = text.padStart(digits + 1, '0')
  const at = padded.length - digits
  return digits === 0 ? padded : `${padded.slice(0, at)}.${padded.slice(at)}`
}

/** Space between them for the eye alone: what is copied is the address. */
export const inFours = text => (text.match(/^0x|.{1,4}/g) ?? []).map(four => el('span', {}, four))

export const masked = text => `${text.slice(0, 6)}…${text.slice(-4)}`

export const timeOf = iso =>
  el('time', { datetime: iso }, new Date(iso).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' }))

/** To where a transaction or an address can be looked up, as far as anybody knows where. */
export const looked = (refund, kind, text, label = text) => {
  const explorer = chainOf(refund)?.explorerUrl
  if (!explorer) return label
  return el('a', { href: `${explorer}/${kind}/${text}`, target: '_blank', rel: 'noopener noreferrer' }, label)
}

export const states = {
  requires_destination: 'Waits for the customer',
  requires_signature: 'To be signed',
  processing: 'On its way',
  processed: 'Paid',
  failed: 'Failed',
  canceled: 'Canceled',
}

export const reasons = {
  requested_by_customer: 'Requested by the customer',
  duplicate: 'Paid twice',
  fraudulent: 'Fraudulent',
  overpayment: 'Paid too much',
  late_payment: 'Paid too late',
  other: 'Other',
}

/** Why one has failed, and what that means for paying again. */
export const failures = {
  reverted: 'The transaction has failed on the chain. It has moved nothing; only its gas is spent.',
  wrong_recipient:
    'The transaction does not pay this refund: it goes to another address, carries the id of another refund, or is older than this one.',
  wrong_asset: 'The transaction pays another asset.',
  amount_mismatch: 'The transaction pays another amount.',
  dropped: 'The transaction can never be mined: another one of its wallet has taken its place.',
  unproven: 'Nobody could say what became of the transaction, and one of you has said that the money did not come.',
}

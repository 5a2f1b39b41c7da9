import { eraseNote, notedIds, readNote } from './notes.js'
import { call } from './session.js'

/** A refund's place in the interface. */
export const pathOf = (merchantId, id) => `/v1/merchants/${merchantId}/refunds/${id}`

/** Tells the house which transaction pays a refund. */
export const nameHash = (merchantId, id, txHash) => call('POST', `${pathOf(merchantId, id)}/transaction`, { txHash })

/** What is said to whoever has named one in vain. */
export const namingFault = ({ code, status, param, details }) => {
  if (param === 'txHash' && status === 409)
    return 'Another refund is paid with this transaction. A transaction pays one refund only.'
  if (details?.attention) return 'Money has moved with this refund. Look at that first, and say so above.'
  if (details?.status === 'processing')
    return 'This refund is being paid with another transaction, which the chain still knows. It can only be replaced by another one once the chain has dropped it.'
  if (details?.status) return `This refund takes no transaction now: it is ${details.status.replaceAll('_', ' ')}.`
  if (code === 'refund_exceeds_remaining')
    return 'The payment has not got the amount any more: it has been refunded otherwise meanwhile.'
  if (code === 'insufficient_role') return 'Your role may not do this. Pass the hash on to an owner or a developer.'
  if (code === 'resource_not_found') return 'There is no such refund for you.'
  if (status === 400) return NO_HASH
  return 'The service could not be told. Nothing is lost: try again in a moment.'
}

export const NO_HASH = 'This is no hash of a transaction: that is 0x and 64 characters from 0 to 9 and a to f.'

/** The hash in what somebody has pasted, which may be the address of a page about it. */
export const hashIn = text => {
  const found = [...text.matchAll(/(?<![0-9a-zA-Z])0x[0-9a-fA-F]{64}(?![0-9a-zA-Z])/g)]
  return found.length === 1 ? found[0][0].toLowerCase() : undefined
}

/**
 * Tells the house of a hash that a wallet has given us, if it has not been told. `fault`: it does not take it, and
 * never will. Neither: it is to be tried again.
 */
export const nameNoted = async id => {
  const note = readNote(id)
  if (!note?.hash) return {}
  try {
    const refund = await nameHash(note.merchantId, id, note.hash)
    eraseNote(id)
    return { refund }
  } catch (error) {
    const isLost = error.status === 0 || error.status === 401 || error.status === 429 || error.status >= 500
    return isLost ? {} : { fault: namingFault(error) }
  }
}

/** Whatever the house has not been told yet, of any refund. */
export const nameAllNoted = async () => {
  for (const id of notedIds()) await nameNoted(id)
}

import { eraseNote, notedIds, readNote } from './notes.js'
import { call } from './session.js'

/** The path of a refund in the API. */
export const pathOf = (merchantId, id) => `/v1/merchants/${merchantId}/refunds/${id}`

/** Reports the transaction that pays a refund to the server. */
export const nameHash = (merchantId, id, txHash) => call('POST', `${pathOf(merchantId, id)}/transaction`, { txHash })

/** The error message for a transaction that was rejected. */
export const namingFault = ({ code, status, param, details }) => {
  if (param === 'txHash' && status === 409)
    return 'This transaction already pays another refund. A transaction can pay only one refund.'
  if (details?.attention)
    return 'The failed transaction has moved money. Check it first, and mark the refund as checked above.'
  if (details?.status === 'processing')
    return 'This refund is being paid by another transaction, which the chain still knows. You can report another one only after the chain has dropped it.'
  if (details?.status)
    return `The transaction was not accepted: the status of this refund is “${details.status.replaceAll('_', ' ')}”.`
  if (code === 'refund_exceeds_remaining')
    return 'The payment no longer has this amount: it was refunded in another way in the meantime.'
  if (code === 'insufficient_role') return 'Your role does not allow this. Send the hash to an owner or a developer.'
  if (code === 'resource_not_found') return 'The refund does not exist, or you no longer have access to it.'
  if (status === 400) return NO_HASH
  return 'The server cannot be reached. The transaction is not affected. Try again in a moment.'
}

export const NO_HASH = 'This is not a transaction hash. A hash has 0x and 64 characters from 0 to 9 and a to f.'

/** Finds the hash in a pasted text, which can be the URL of a block explorer. */
export const hashIn = text => {
  const found = [...text.matchAll(/(?<![0-9a-zA-Z])0x[0-9a-fA-F]{64}(?![0-9a-zA-Z])/g)]
  return found.length === 1 ? found[0][0].toLowerCase() : undefined
}

/**
 * Reports a hash that a wallet has returned, if it was not reported yet. `fault`: the server has rejected it for good.
 * Neither `refund` nor `fault`: try again later.
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

/** Reports all hashes that were not reported yet, of all refunds. */
export const nameAllNoted = async () => {
  for (const id of notedIds()) await nameNoted(id)
}

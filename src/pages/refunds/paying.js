import { eraseNote, readNote, writeNote } from './notes.js'
import { connect, sendOff, WalletTrouble } from './wallet.js'
import { unlessElsewhere } from './windows.js'
import { chainOf } from './words.js'

/** Refunds for which a request to a wallet is open. */
const asked = new Set()

/** Event with the ID of a refund for which the request to the wallet has ended: paid, rejected or unknown. */
export const ANSWERED = 'paymachine:answered'

export const isAsked = id => asked.has(id)

/** Runs `work` unless another window of this browser has an open request to a wallet for the refund. */
export const unlessAsked = (id, work) =>
  unlessElsewhere(`refund.${id}`, work, () => {
    const words =
      'Another window of this browser has asked a wallet to pay this refund. Answer the wallet there, or close that window. Nothing was sent from this window.'
    // The other window may have sent it.
    throw new WalletTrouble(words, true)
  })

// If the page were closed now, it would not receive the hash.
window.addEventListener('beforeunload', event => {
  if (asked.size > 0) event.preventDefault()
})

/**
 * Asks a wallet to pay a refund. The note is written before the wallet is asked. It is erased only if nothing was sent
 * for certain; with a hash it stays until the server knows the hash. `read` returns the current refund.
 */
export const payWith = async (provider, { refund, merchant }, { tell, read }) => {
  const { id } = refund
  if (asked.has(id)) return
  asked.add(id)
  const pay = () => askWallet(provider, { refund, merchant }, { tell, read })
  try {
    // Another window sees a new note only a moment later, so a lock is needed as well.
    await unlessAsked(id, pay)
  } finally {
    asked.delete(id)
    window.dispatchEvent(new CustomEvent(ANSWERED, { detail: id }))
  }
}

const askWallet = async (provider, { refund, merchant }, { tell, read }) => {
  const { id, unsignedTransaction } = refund
  tell('Open your wallet. It may ask you to choose an account and to switch the network.')
  const account = await connect(provider, unsignedTransaction.chainId, chainOf(refund))
  const latest = await read()
  // Paid in another window, or by another member.
  if (readNote(id) || JSON.stringify(latest.unsignedTransaction) !== JSON.stringify(unsignedTransaction))
    throw new WalletTrouble('The refund has changed in the meantime. Nothing was sent from this window.')
  const note = { merchantId: merchant.id, at: new Date().toISOString(), hash: null }
  const isKept = writeNote(id, note)
  tell(
    isKept
      ? 'Open your wallet. Compare the address and the amount, then confirm the payment there.'
      : 'Open your wallet and confirm the payment there. Keep this page open until the payment was sent: this browser cannot store the transaction.',
  )
  try {
    const hash = await sendOff(provider, account, unsignedTransaction)
    writeNote(id, { ...note, hash })
  } catch (error) {
    if (!error.unsure) eraseNote(id)
    throw error
  }
}

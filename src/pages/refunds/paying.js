import { eraseNote, readNote, writeNote } from './notes.js'
import { connect, sendOff, WalletTrouble } from './wallet.js'
import { unlessElsewhere } from './windows.js'
import { chainOf } from './words.js'

/** Refunds that a wallet is being asked to pay right now. */
const asked = new Set()

/** No wallet is asked any more to pay the refund that it names: paid, refused or unsure. Whoever left it may be back. */
export const ANSWERED = 'paymachine:answered'

export const isAsked = id => asked.has(id)

/** Does `work` where no other window of this browser has a wallet asked to pay the refund. */
export const unlessAsked = (id, work) =>
  unlessElsewhere(`refund.${id}`, work, () => {
    const words = 'Another window asks a wallet for it: answer there, or close that window. Nothing was sent from here.'
    // It may be out, from there.
    throw new WalletTrouble(words, true)
  })

// Closed now, the page would not learn the hash.
window.addEventListener('beforeunload', event => {
  if (asked.size > 0) event.preventDefault()
})

/**
 * Has a wallet pay a refund. The note is written before the wallet is asked and goes only where it is certain that
 * nothing is on its way; with the hash it stays until the house knows it. `read` gives the refund as it is now.
 */
export const payWith = async (provider, { refund, merchant }, { tell, read }) => {
  const { id } = refund
  if (asked.has(id)) return
  asked.add(id)
  const pay = () => askWallet(provider, { refund, merchant }, { tell, read })
  try {
    // A note that one window writes is seen in another only a moment later.
    await unlessAsked(id, pay)
  } finally {
    asked.delete(id)
    window.dispatchEvent(new CustomEvent(ANSWERED, { detail: id }))
  }
}

const askWallet = async (provider, { refund, merchant }, { tell, read }) => {
  const { id, unsignedTransaction } = refund
  tell('Look at your wallet: it may ask which account pays, and to change the network.')
  const account = await connect(provider, unsignedTransaction.chainId, chainOf(refund))
  const latest = await read()
  // In another window, or by somebody else.
  if (readNote(id) || JSON.stringify(latest.unsignedTransaction) !== JSON.stringify(unsignedTransaction))
    throw new WalletTrouble('Somebody was faster: nothing was sent from here.')
  const note = { merchantId: merchant.id, at: new Date().toISOString(), hash: null }
  const isKept = writeNote(id, note)
  tell(
    isKept
      ? 'Look at your wallet: it shows the payment. Compare address and amount, and confirm it there.'
      : 'Look at your wallet, and leave this page open until it says that the payment is on its way: this browser keeps nothing for it.',
  )
  try {
    const hash = await sendOff(provider, account, unsignedTransaction)
    writeNote(id, { ...note, hash })
  } catch (error) {
    if (!error.unsure) eraseNote(id)
    throw error
  }
}

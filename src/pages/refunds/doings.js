import { nameHash, namingFault, pathOf } from './naming.js'
import { eraseNote, readNote } from './notes.js'
import { payWith, unlessAsked } from './paying.js'
import { call, Refused } from './session.js'
import { WalletTrouble } from './wallet.js'

/** Messages after an action: about a hash, about the wallet, and about a refund that has changed. */
export const nothingSaid = { fault: undefined, trouble: undefined, notice: undefined }

/** The actions for the refund on the page. Each one shows the new state. */
export const doingsOf = (state, { id, signal, read, readAttention, look, paint }) => {
  const { merchant } = state
  return {
    paint: () => {
      Object.assign(state, nothingSaid)
      paint(true)
    },
    signal,
    name: async hash => {
      const named = await nameHash(merchant.id, id, hash).catch(async error => {
        // The refund has changed: show its new state first.
        if (error.details?.status) {
          state.notice = namingFault(error)
          await look(true).catch(() => {})
        }
        throw error
      })
      if (named.status === 'failed' && named.crypto.txHash === hash)
        throw Object.assign(new Error(), { words: 'This is the transaction that has failed. Report another one.' })
      if (!readNote(id)?.hash) eraseNote(id)
      Object.assign(state, nothingSaid, { refund: named })
      paint(true)
    },
    pay: async (provider, tell) => {
      state.paying = true
      try {
        await payWith(provider, state, { tell, read })
        tell('')
        paint(true)
      } catch (error) {
        const words = troubleOf(error)
        tell(words)
        state.trouble = error.unsure ? words : undefined
        paint(true)
      }
      state.paying = false
      await look(true).catch(() => {})
    },
    /** The member has checked the wallet: nothing was sent. */
    signAnew: async () => {
      try {
        await unlessAsked(id, () => eraseNote(id))
        Object.assign(state, nothingSaid)
      } catch (error) {
        state.trouble = troubleOf(error)
      }
      paint(true)
    },
    /** `dismiss`: checked. `accept`: the money arrived. `fail`: it did not. */
    resolve: async action => {
      state.refund = await call('POST', `${pathOf(merchant.id, id)}/resolve`, { action })
      await readAttention()
      paint(true)
    },
    retry: async () => {
      const refund = await call('POST', `${pathOf(merchant.id, id)}/retry`)
      Object.assign(state, nothingSaid, { refund })
      await readAttention()
      paint(true)
    },
  }
}

const troubleOf = error => {
  if (error instanceof WalletTrouble) return error.message
  return error instanceof Refused
    ? 'The server cannot be reached. Nothing was sent. Try again.'
    : 'An error has occurred on this page. Reload it before you try again.'
}

/**
 * What this browser remembers of refunds that were handed to a wallet: from before the wallet is asked until the
 * house knows the hash. Whatever is closed, lost or reloaded in between, nothing is sent twice. It holds no secret.
 */
const PREFIX = 'paymachine.refund.'

/** Where the browser keeps nothing for us: as long as the page is open. */
const unkept = new Map()

export const readNote = id => {
  try {
    const text = localStorage.getItem(PREFIX + id)
    if (text !== null) return JSON.parse(text)
  } catch {}
  return unkept.get(id)
}

/** `{ merchantId, at, hash }`. Answers whether it survives the page. */
export const writeNote = (id, note) => {
  try {
    localStorage.setItem(PREFIX + id, JSON.stringify(note))
    unkept.delete(id)
    return true
  } catch {
    unkept.set(id, note)
    return false
  }
}

export const eraseNote = id => {
  unkept.delete(id)
  try {
    localStorage.removeItem(PREFIX + id)
  } catch {}
}

/** Whether the storage has changed in what is kept of this one. */
export const isOfNote = (event, id) => event.key === null || event.key === PREFIX + id

/** The refunds that there are notes of. */
export const notedIds = () => {
  try {
    return Object.keys(localStorage)
      .filter(key => key.startsWith(PREFIX))
      .map(key => key.slice(PREFIX.length))
  } catch {
    return [...unkept.keys()]
  }
}

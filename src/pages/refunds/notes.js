/**
 * Notes in this browser about refunds that were passed to a wallet. A note is written before the wallet is asked, and
 * erased when the server has the hash. It prevents a second payment after a reload or a lost response. It holds no secret.
 */
const PREFIX = 'paymachine.refund.'

/** Fallback without local storage: notes that last as long as the page is open. */
const unkept = new Map()

export const readNote = id => {
  try {
    const text = localStorage.getItem(PREFIX + id)
    if (text !== null) return JSON.parse(text)
  } catch {}
  return unkept.get(id)
}

/** Stores `{ merchantId, at, hash }`. Returns whether the note survives a reload. */
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

/** Whether a storage event is about the note of this refund. */
export const isOfNote = (event, id) => event.key === null || event.key === PREFIX + id

/** IDs of the refunds that have a note. */
export const notedIds = () => {
  try {
    return Object.keys(localStorage)
      .filter(key => key.startsWith(PREFIX))
      .map(key => key.slice(PREFIX.length))
  } catch {
    return [...unkept.keys()]
  }
}

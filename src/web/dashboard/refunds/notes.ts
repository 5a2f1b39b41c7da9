import { signal } from '@preact/signals'

/**
 * Notes in this browser about refunds that were passed to a wallet. A note is written before the wallet is asked, and
 * erased when the server has the hash. It prevents a second payment after a reload or a lost response. It holds no secret.
 */
export type SigningNote = {
  readonly merchantId: string
  readonly at: string
  /** Null until the wallet has returned it. */
  readonly hash: string | null
}

const PREFIX = 'paymachine.refund.'

/** Notes that storage did not take. They last as long as the page is open, and are newer than those in storage. */
const unkept = new Map<string, SigningNote>()

/** Changes with every note, also those of other tabs. */
const version = signal(0)
addEventListener('storage', ({ key }) => {
  if (key === null || key.startsWith(PREFIX)) version.value++
})

/** The note of a refund. A component that reads it is drawn again when it changes. */
export const readNote = (id: string): SigningNote | undefined => {
  void version.value
  const newer = unkept.get(id)
  if (newer) return newer
  try {
    const text = localStorage.getItem(PREFIX + id)
    if (text !== null) return JSON.parse(text)
  } catch {}
  return undefined
}

/** Returns whether the note survives a reload. */
export const writeNote = (id: string, note: SigningNote): boolean => {
  try {
    localStorage.setItem(PREFIX + id, JSON.stringify(note))
    unkept.delete(id)
    return true
  } catch {
    unkept.set(id, note)
    return false
  } finally {
    version.value++
  }
}

export const eraseNote = (id: string): void => {
  unkept.delete(id)
  try {
    localStorage.removeItem(PREFIX + id)
  } catch {}
  version.value++
}

/** IDs of the refunds that have a note. */
export const notedIds = (): readonly string[] => {
  const keys = storedKeys().filter(key => key.startsWith(PREFIX))
  return [...new Set([...unkept.keys(), ...keys.map(key => key.slice(PREFIX.length))])]
}

const storedKeys = (): readonly string[] => {
  try {
    return Object.keys(localStorage)
  } catch {
    return []
  }
}

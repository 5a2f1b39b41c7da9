import type { RecoveryFile } from '../../api/calls.ts'

export type FileTest =
  | { readonly outcome: 'complete'; readonly addresses: number }
  /** It has another secret, lacks an address, or is something else. */
  | { readonly outcome: 'not_a_file' | 'other_secret' | 'old' }

/** Compares a stored file with the one that the server would write now. */
export const testRecoveryFile = (text: string, now: RecoveryFile): FileTest => {
  const file = parse(text)
  if (!file) return { outcome: 'not_a_file' }
  if (file.secret !== now.secret || file.factory !== now.factory) return { outcome: 'other_secret' }
  const known = new Set(file.treasuries.map(keyOf))
  return now.treasuries.every(each => known.has(keyOf(each)))
    ? { outcome: 'complete', addresses: now.treasuries.length }
    : { outcome: 'old' }
}

type Treasury = RecoveryFile['treasuries'][number]

const keyOf = ({ address, codeHash, onlyOn }: Treasury) => `${address.toLowerCase()} ${codeHash} ${onlyOn}`

type Compared = Pick<RecoveryFile, 'secret' | 'factory' | 'treasuries'>

/** Only what is compared: a file of a later version may have more. */
const parse = (text: string): Compared | undefined => {
  try {
    const file: Partial<Compared> | null = JSON.parse(text)
    const { secret, factory, treasuries } = file ?? {}
    if (typeof secret !== 'string' || typeof factory !== 'string' || !Array.isArray(treasuries)) return undefined
    return treasuries.every(each => typeof each?.address === 'string') ? { secret, factory, treasuries } : undefined
  } catch {
    return undefined
  }
}

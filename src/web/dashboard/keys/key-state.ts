import type { ApiKey } from '../../api/calls.ts'
import type { BadgeTone } from '../../parts/badge.tsx'
import type { StateShape } from '../../parts/state-mark.tsx'
import type { Formats } from '../../text/format.ts'
import type { KeysTexts } from './texts.ts'

type KeyLook = {
  readonly word: string
  readonly shape: StateShape
  readonly tone?: BadgeTone
  readonly isOver: boolean
}

/** The state of a key in a word and a shape. */
export const keyLook = (
  { revokedAt, expiresAt, lastUsedAt }: ApiKey,
  texts: KeysTexts,
  formats: Formats,
  now: Date,
): KeyLook => {
  if (revokedAt !== null) return { word: texts.revoked, shape: 'off', isOver: true }
  if (expiresAt !== null && new Date(expiresAt) <= now) return { word: texts.ended, shape: 'over', isOver: true }
  if (expiresAt !== null)
    return { word: texts.ends(formats.relative(expiresAt, now)), shape: 'now', tone: 'warn', isOver: false }
  if (lastUsedAt === null) return { word: texts.unused, shape: 'next', isOver: false }
  return { word: texts.active, shape: 'done', tone: 'good', isOver: false }
}

/** The preset with these scopes, or the scopes themselves. */
export const accessOf = ({ scopes }: Pick<ApiKey, 'scopes'>, { presets }: KeysTexts): string => {
  const given = [...scopes].sort().join(', ')
  if (given === '*') return presets.full
  if (given === 'payments:read') return presets.read_only
  return given === 'payment_links:write, payments:read' ? presets.store_plugin : given
}

import type { OpsSigner } from '../../api/ops-calls.ts'
import { shortenMiddle } from '../../parts/address.tsx'
import type { Failure, Words } from './words.ts'

/** An answer may be late. */
const LONG_MS = 60_000

/** Reasons that an operator can end. The others end by themselves, or are left to the shop. */
const reasons = [
  ...(['no_gas', 'no_funds', 'on_hold', 'nonce_ahead', 'unreadable_key', 'refused', 'fault', 'no_answer'] as const),
] satisfies readonly OpsSigner['waits'][number]['reason'][]

/** Refunds that a signer should sign and does not, and a signer that could not sign the next one. */
export const signerFailures = (signer: OpsSigner, words: Words): readonly Failure[] => {
  const { health } = words.texts
  const { network, address, asset, waits, unclearSince } = signer
  const path = '/ops#signers'
  const name = shortenMiddle(address)
  const failures: Failure[] = []
  for (const reason of reasons) {
    const wait = waits.find(each => each.reason === reason)
    if (!wait || (reason === 'no_answer' && words.now.getTime() - Date.parse(wait.since) < LONG_MS)) continue
    failures.push({
      ...{ tone: 'bad', title: health.signerWaits(network, words.formats.count(wait.count), name), path },
      what: health.signerWhat[reason](asset ?? ''),
    })
  }
  if (failures.length === 0 && hasNoGas(signer))
    failures.push({
      ...{ tone: 'bad', title: health.signerEmpty(network, name), path },
      what: health.signerEmptyWhat(asset ?? ''),
    })
  if (unclearSince !== null)
    failures.push({
      ...{ tone: 'warn', title: health.signerUnclear(network, name), path },
      what: health.signerUnclearWhat(words.formats.listed(unclearSince, words.now)),
    })
  return failures
}

export const hasNoGas = ({ status, balance, waits }: OpsSigner): boolean =>
  status === 'on' && (balance === '0' || waits.some(({ reason }) => reason === 'no_gas'))

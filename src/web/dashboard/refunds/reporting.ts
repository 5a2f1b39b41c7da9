import type { RefundWithAttention } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import type { Session } from '../../api/session.ts'
import { eraseNote, notedIds, readNote } from './notes.ts'

type Call = Session['call']

/** Finds the hash in a pasted text, which can be the URL of a block explorer. */
export const hashIn = (text: string): string | undefined => {
  const found = [...text.matchAll(/(?<![0-9a-zA-Z])0x[0-9a-fA-F]{64}(?![0-9a-zA-Z])/g)]
  return found.length === 1 ? found[0]?.[0].toLowerCase() : undefined
}

type Reported = {
  readonly refund?: RefundWithAttention
  /** The server has rejected the hash for good. */
  readonly refusal?: ApiError
}

/** Reports a hash that a wallet has returned, if it was not reported yet. Empty: nothing to report, or try again later. */
export const reportNoted = async (call: Call, id: string): Promise<Reported> => {
  const note = readNote(id)
  if (!note?.hash) return {}
  try {
    const refund = await call('nameRefundTransaction', { merchantId: note.merchantId, id, txHash: note.hash })
    eraseNote(id)
    return { refund }
  } catch (error) {
    return error instanceof ApiError && isFinal(error) ? { refusal: error } : {}
  }
}

const isFinal = ({ status }: ApiError): boolean => status >= 400 && status < 500 && status !== 401 && status !== 429

/** Reports all hashes that were not reported yet, of all refunds. */
export const reportAllNoted = async (call: Call): Promise<void> => {
  for (const id of notedIds()) await reportNoted(call, id)
}

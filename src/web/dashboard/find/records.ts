import { useEffect, useState } from 'preact/hooks'
import type { Dispute, PaymentLink, PaymentWithCrypto, RefundWithAttention } from '../../api/calls.ts'
import { useScope, useShop } from '../shell/shop.ts'

export type FoundRecord = PaymentWithCrypto | PaymentLink | RefundWithAttention | Dispute

export type FoundRecords = {
  /** What was searched for. */
  readonly text: string
  readonly records: readonly FoundRecord[]
  readonly phase: 'searching' | 'found' | 'failed'
}

const TYPING_MS = 200
/** Shorter texts are no prefix of an e-mail address that the API searches for. */
const MIN_LENGTH = 3

/** The records of this shop and mode that the text names: by ID, reference, hash, address or the beginning of an e-mail. */
export const useFinding = (text: string): FoundRecords | undefined => {
  const { session } = useShop()
  const scope = useScope()
  const [finding, setFinding] = useState<FoundRecords>()
  useEffect(() => {
    if (text.length < MIN_LENGTH) return setFinding(undefined)
    setFinding({ text, records: [], phase: 'searching' })
    const stopped = new AbortController()
    const { signal } = stopped
    const search = async () => {
      const input = { ...scope, q: text, limit: 4 }
      const lists = await Promise.all([
        session.call('listPayments', input, { signal }),
        session.call('listPaymentLinks', input, { signal }),
        session.call('listRefunds', input, { signal }),
        session.call('listDisputes', input, { signal }),
      ])
      setFinding({ text, records: lists.flatMap(({ data }): readonly FoundRecord[] => data), phase: 'found' })
    }
    const timer = setTimeout(() => {
      search().catch(() => {
        if (!signal.aborted) setFinding({ text, records: [], phase: 'failed' })
      })
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      stopped.abort()
    }
  }, [text, scope.merchantId, scope.livemode])
  return finding
}

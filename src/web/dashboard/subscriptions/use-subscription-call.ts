import { useState } from 'preact/hooks'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'

/** Acts on a subscription, and reads it again, after a refusal, too: it has changed in the meantime. */
export const useSubscriptionCall = (id: string) => {
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  // The same key for every attempt of a dialog: after a lost response it is still done once.
  const [idempotencyKey, setKey] = useState(newIdempotencyKey)
  return {
    /** Of another request. */
    renewKey: () => setKey(newIdempotencyKey()),
    act: async <Answer>(
      work: (
        call: typeof session.call,
        input: { merchantId: string; id: string; idempotencyKey: string },
      ) => Promise<Answer>,
    ): Promise<Answer> => {
      try {
        return await work(session.call, { merchantId, id, idempotencyKey })
      } finally {
        await refresh('subscriptions')
        void refresh('invoices')
      }
    },
  }
}

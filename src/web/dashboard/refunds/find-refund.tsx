import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Account, RefundWithAttention } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import type { Session } from '../../api/session.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Loading, SkeletonRows } from '../../parts/skeleton.tsx'
import { shownFailure } from '../shell/failure.ts'
import { addressIn } from '../shell/shop.ts'

type FindProps = { readonly session: Session; readonly account: Account; readonly id: string }

/** Leads to a refund of which only the ID is known: the shop and the mode are those of the refund. */
export const FindRefund = ({ session, account, id }: FindProps) => {
  const { route } = useLocation()
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const find = () => setTries(tries + 1)
  useEffect(() => {
    let isLeft = false
    setError(undefined)
    findRefund(session, account, id).then(
      // The reader may have gone elsewhere in the meantime.
      ({ merchantId, livemode }) => isLeft || route(addressIn({ merchantId, livemode }, 'refunds', id), true),
      fault => isLeft || setError(fault),
    )
    return () => {
      isLeft = true
    }
  }, [id, tries])
  return (
    <main class="starting">
      {error === undefined ? (
        <Loading skeleton={<SkeletonRows rows={6} />} onRetry={find} />
      ) : (
        <ErrorNote failure={shownFailure(error)} onRetry={find} />
      )}
    </main>
  )
}

/** Of the first shop that has it. */
const findRefund = async (session: Session, { merchants }: Account, id: string): Promise<RefundWithAttention> => {
  for (const merchant of merchants) {
    try {
      return await session.call('getRefund', { merchantId: merchant.id, id })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
    }
  }
  throw new ApiError('resource_not_found', { status: 404 })
}

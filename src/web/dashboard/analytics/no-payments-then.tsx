import { Empty } from '../../parts/empty.tsx'
import { useAddressQuery } from '../shell/filters.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useAnalyticsTexts } from './texts.ts'

/** What to do about a period without a payment. */
export const NoPaymentsThen = () => {
  const texts = useAnalyticsTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const { get, addressWith } = useAddressQuery()
  return (
    <Empty
      title={texts.nothing}
      action={
        canWrite ? (
          <a class="button" href={address('links', 'new')}>
            {texts.newLink}
          </a>
        ) : (
          get('range') !== '12m' && (
            <a class="button" href={addressWith({ range: '12m', from: undefined, to: undefined })}>
              {texts.ranges['12m']}
            </a>
          )
        )
      }
    >
      {texts.nothingWhat} {canWrite && texts.nothingNext}
    </Empty>
  )
}

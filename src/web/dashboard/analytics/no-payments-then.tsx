import { Empty } from '../../parts/empty.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useAnalyticsTexts } from './texts.ts'

/** What to do about a period without a payment. */
export const NoPaymentsThen = () => {
  const texts = useAnalyticsTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  return (
    <Empty
      title={texts.nothing}
      action={
        canWrite && (
          <a class="button" href={address('links', 'new')}>
            {texts.newLink}
          </a>
        )
      }
    >
      {texts.nothingWhat} {canWrite && texts.nothingNext}
    </Empty>
  )
}

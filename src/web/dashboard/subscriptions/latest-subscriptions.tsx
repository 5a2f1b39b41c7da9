import { Icon } from '../../parts/icon.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { SubscriptionsTable } from './subscriptions-table.tsx'
import { useSubscriptionsTexts } from './texts.ts'

type LatestSubscriptionsProps = {
  readonly of: 'customer' | 'plan'
  readonly id: string
  /** New ones can begin. */
  readonly isActive: boolean
}

const LATEST = 5

/** The latest subscriptions of a customer or to a plan, a way to all of them, and to a new one. */
export const LatestSubscriptions = ({ of, id, isActive }: LatestSubscriptionsProps) => {
  const texts = useSubscriptionsTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const result = useShopQuery(['subscriptions', 'of', of, id], ({ call, ...scope }, signal) =>
    call('listSubscriptions', { ...scope, [`${of}Id`]: id, limit: LATEST }, { signal }),
  ).value
  return (
    <Section title={texts.title} aside={<a href={`${address('subscriptions')}?${of}=${id}`}>{texts.all}</a>}>
      <Result result={result} skeleton={<SkeletonRows rows={3} />}>
        {({ data }) =>
          data.length === 0 ? <p class="quiet">{texts.none}</p> : <SubscriptionsTable rows={data} of={of} />
        }
      </Result>
      {canWrite && isActive && (
        <div class="buttons">
          <a class="button button--small" href={`${address('subscriptions', 'new')}?${of}=${id}`}>
            <Icon name="plus" small />
            {texts.create}
          </a>
        </div>
      )}
    </Section>
  )
}

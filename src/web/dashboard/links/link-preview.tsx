import { useQuery } from '../../api/query.ts'
import { AssetAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { useSettled } from '../shell/settled.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useLinksTexts } from './texts.ts'

type LinkPreviewProps = {
  readonly amountMinor: number | undefined
  readonly currency: string
  readonly title: string
  readonly description: string
}

/** The head of the payment page, with the assets that a customer could choose for this amount now. */
export const LinkPreview = ({ amountMinor, currency, title, description }: LinkPreviewProps) => {
  const texts = useLinksTexts()
  const { merchant } = useShop()
  const { formats } = useReader()
  return (
    <figure class="preview">
      <figcaption>{texts.preview}</figcaption>
      <div class="preview__sheet">
        <b>{merchant.name}</b>
        {title !== '' && <span class="quiet">{title}</span>}
        <span class="amount">{formats.money(amountMinor ?? 0, currency)}</span>
        {description !== '' && <p class="quiet">{description}</p>}
        <Options amountMinor={useSettled(amountMinor)} currency={currency} />
        <span class="button button--primary button--wide" aria-hidden="true">
          {texts.previewContinue}
        </span>
      </div>
    </figure>
  )
}

const Options = ({ amountMinor, currency }: Pick<LinkPreviewProps, 'amountMinor' | 'currency'>) => {
  const texts = useLinksTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const scope = useScope()
  const { data } = useQuery({
    queryKey: [scope.merchantId, scope.livemode, 'preview', amountMinor, currency],
    queryFn: ({ signal }) =>
      session.call('previewPaymentLink', { ...scope, amountMinor: amountMinor ?? 0, currency }, { signal }),
    enabled: amountMinor !== undefined,
    // The old amounts stay until the new ones arrive, so that nothing jumps.
    placeholderData: before => before,
  }).value
  if (!data || amountMinor === undefined) return null
  if (data.options.length === 0) return <p class="preview__none">{texts.previewNone}</p>
  return (
    <ul class="preview__options">
      {data.options.map(({ asset, chainId, network, amount, decimals, networkFeeMinor }) => (
        <li key={`${asset} ${chainId}`}>
          <span>
            {asset} <span class="quiet">{network}</span>
          </span>
          <span>
            <AssetAmount amount={amount} asset={asset} decimals={decimals} />
            {networkFeeMinor !== null && (
              <span class="under">{texts.previewFee(formats.money(networkFeeMinor, currency))}</span>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}

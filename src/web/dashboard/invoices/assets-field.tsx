import { chainsIn } from '../shell/chains.ts'
import { useShop } from '../shell/shop.ts'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import type { InvoiceDraft } from './invoice-draft.ts'

type Assets = InvoiceDraft['assets']

type AssetsFieldProps = {
  readonly assets: Assets
  readonly onAssets: (assets: Assets) => void
  readonly error: string | undefined
}

/** What the customer can pay with. */
export const AssetsField = ({ assets, onAssets, error }: AssetsFieldProps) => {
  const texts = useInvoiceEditorTexts()
  const { livemode } = useShop()
  const offered = chainsIn(livemode).flatMap(({ chainId, network, native, tokens }) =>
    [native, ...tokens].map(({ asset }) => ({ chainId, asset, network })),
  )
  const isChosen = (one: { readonly chainId: number; readonly asset: string }) =>
    assets?.some(({ chainId, asset }) => chainId === one.chainId && asset === one.asset) ?? false
  return (
    <fieldset class="form" aria-invalid={error !== undefined}>
      <legend class="legend">{texts.assets}</legend>
      <div class="choices-row">
        <label class="check">
          <input type="radio" name="assets" checked={assets === null} onInput={() => onAssets(null)} />
          <span>{texts.assetsAll}</span>
        </label>
        <label class="check">
          <input type="radio" name="assets" checked={assets !== null} onInput={() => onAssets([])} />
          <span>{texts.assetsSome}</span>
        </label>
      </div>
      {assets !== null && (
        <div class="check-columns">
          {offered.map(({ chainId, asset, network }) => (
            <label key={`${chainId} ${asset}`} class="check">
              <input
                type="checkbox"
                name="asset"
                checked={isChosen({ chainId, asset })}
                onInput={event => {
                  const others = assets.filter(each => each.chainId !== chainId || each.asset !== asset)
                  onAssets(event.currentTarget.checked ? [...others, { chainId, asset }] : others)
                }}
              />
              <span>
                {asset} <span class="quiet">{network}</span>
              </span>
            </label>
          ))}
        </div>
      )}
      {error !== undefined && (
        <p class="field" role="alert">
          <span class="error">{error}</span>
        </p>
      )}
    </fieldset>
  )
}

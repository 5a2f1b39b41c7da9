import { useReader } from './reader.ts'

/** An amount in a currency. Never without it, never broken into two lines. */
export const FiatAmount = ({ minor, currency }: { readonly minor: number; readonly currency: string }) => (
  <span class="money">{useReader().formats.money(minor, currency)}</span>
)

type AssetAmountProps = {
  readonly amount: string
  readonly asset: string
  readonly decimals: number
  /** The name of the network. An asset is never shown without it, unless it stands beside already. */
  readonly network?: string
}

/** An amount of an asset on a network. */
export const AssetAmount = ({ amount, asset, decimals, network }: AssetAmountProps) => (
  <span class="money">
    {useReader().formats.units(amount, { asset, decimals })}
    {network !== undefined && <span class="money__network"> · {network}</span>}
  </span>
)

/** What the customer owes, as the page states it. Amounts and addresses are those that the page shows. */
export type PayOrder = {
  readonly chainId: number
  readonly network: string
  readonly native: string
  readonly rpcUrl: string | null
  readonly explorerUrl: string | null
  readonly to: string
  /** Null: the native currency. */
  readonly token: string | null
  /** In atomic units. */
  readonly units: string
  readonly due: string
  readonly asset: string
  readonly decimals: number
  /** A final block of the network. */
  readonly anchor: { readonly number: number; readonly hash: string } | null
}

/** `transfer(address,uint256)` and `balanceOf(address)` of ERC-20. */
const TRANSFER = '0xa9059cbb'
const BALANCE_OF = '0x70a08231'

export const hex = (value: number | bigint): string => `0x${value.toString(16)}`

const word = (value: string): string => value.replace(/^0x/, '').toLowerCase().padStart(64, '0')

export type TransferRequest = {
  readonly from: string
  readonly to: string
  readonly value: string
  readonly data: string
  readonly chainId: string
}

/** With the chain ID, which a wallet compares with its own network. */
export const transferRequest = ({ chainId, to, token, units }: PayOrder, from: string): TransferRequest => {
  const amount = BigInt(units)
  return token === null
    ? { from, to, value: hex(amount), data: '0x', chainId: hex(chainId) }
    : { from, to: token, value: '0x0', data: TRANSFER + word(to) + word(hex(amount)), chainId: hex(chainId) }
}

export const balanceData = (account: string): string => BALANCE_OF + word(account)

/** Rounded down to six digits after the point, so that the text never exceeds the amount. */
export const amountText = (units: bigint, { decimals, asset, token }: PayOrder): string => {
  const text = String(units).padStart(decimals + 1, '0')
  const whole = text.slice(0, text.length - decimals)
  const digits = text
    .slice(text.length - decimals)
    .slice(0, 6)
    .replace(/0+$/, '')
  const shown = token === null ? digits : digits.padEnd(2, '0')
  return `${whole}${shown && `.${shown}`}\u00a0${asset}`
}

/** What the pages know of a chain that is enabled on this server. Records have only its ID. */
export type ShownChain = {
  readonly chainId: number
  readonly network: string
  readonly livemode: boolean
  /** The sandbox signs by itself. */
  readonly isSandbox: boolean
  readonly native: { readonly asset: string; readonly decimals: number }
  readonly tokens: readonly { readonly asset: string; readonly address: string; readonly decimals: number }[]
  readonly confirmations: number
  readonly explorerUrl: string | null
  /** A node that wallets may be given. The nodes of the server can have keys in their URLs. */
  readonly publicNode: string | null
}

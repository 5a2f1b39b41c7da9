import type { Chain } from '../chain/chain.ts'
import { checksummed } from '../chain/checksum.ts'
import { confirmationsOf } from '../chain/enabled/chains.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { publicNodes } from '../chain/known/public-nodes.ts'
import type { TextAnswer } from './answer.ts'
import { cardStyle } from './card.ts'
import { html } from './html.ts'
import { openLayout } from './page.ts'

const styleOf = (name: string) => new URL(`./${name}.css`, import.meta.url)
const styles = [cardStyle, ...['claim', 'refunds', 'refund'].map(styleOf)]
const layout = openLayout(styles, {
  ...{ script: new URL('./refunds/main.js', import.meta.url), calls: true, secret: true },
})

/** The frame that the script fills, and the chains: a refund contains only their IDs. */
export const refundsPage = ({ all }: Pick<Chains, 'all'>, isSandbox: (chainId: number) => boolean): TextAnswer =>
  layout.send(
    layout.textOf(
      'Refunds',
      html`<a class="skip" href="#view">Skip to the content</a>
<header class="bar">
<a class="home" href="/refunds">Refunds</a>
<div id="account" class="account"></div>
</header>
<p id="warns" class="warns" role="alert"></p>
<main id="view" class="card wide" tabindex="-1" data-chains="${JSON.stringify(all.map(({ chain }) => ({ ...chainFacts(chain), isSandbox: isSandbox(chain.id) })))}">
<noscript><article><h1>Refunds</h1>
<p>This page needs JavaScript. You can also manage refunds with the API: see the <a href="/docs">API reference</a>.</p></article></noscript>
</main>
<p id="says" class="unseen" role="status"></p>`,
    ),
  )

/** Without the URLs of our own nodes, which can contain keys. */
const chainFacts = (chain: Chain) => ({
  chainId: chain.id,
  network: chain.network,
  coin: { asset: chain.native.asset, decimals: chain.native.decimals },
  tokens: chain.tokens.map(({ asset, address, decimals }) => ({ asset, address: checksummed(address), decimals })),
  confirmations: confirmationsOf(chain),
  explorerUrl: chain.explorerUrl,
  publicNode: publicNodes[chain.id] ?? null,
})

import { listSigners } from '../../queries/signer-list.ts'
import { opsSignerRecord } from '../../records/ops-signer.ts'
import { readSignerBalances } from '../../signer/signer-balances.ts'
import { listSignersDocs } from '../docs/ops-server.ts'
import { forOperators, type Route } from '../route.ts'
import { wholeListOf } from './whole-list.ts'

/** So long the answer waits for the nodes. */
const BALANCES_MS = 2_000

export const signerRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/signers',
      docs: listSignersDocs,
      handle: async ({ sql, chains }) => {
        const signers = (await listSigners(sql)).filter(
          ({ isRemoved, open, unclearSince }) => !isRemoved || open > 0 || unclearSince,
        )
        const balanceOf = await readSignerBalances(chains, signers, BALANCES_MS)
        const body = wholeListOf(signers, signer => {
          const chain = chains.find(signer.chainId)?.chain
          return opsSignerRecord.render({
            ...signer,
            network: chain?.network ?? String(signer.chainId),
            asset: chain?.native.asset,
            balance: balanceOf(signer),
          })
        })
        return { status: 200, body }
      },
    },
  ),
]

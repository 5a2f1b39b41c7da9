import { example } from '../../fields/examples.ts'
import { balancesShape, collectionShape, recoveryFileShape } from '../../records/shapes/collection.ts'
import type { Docs } from './docs.ts'

export const listBalancesDocs: Docs = {
  operation: 'listBalances',
  summary: 'List balances',
  description:
    'Returns the money at deposit addresses that has not been collected yet, by chain, asset and receiving address (`treasury`), as read from the chain now. It includes money in another asset or on another chain than that of the payment. A chain that does not answer is listed in `unavailable`; the other chains are in `data`.',
  answers: { 200: balancesShape },
}

export const createCollectionDocs: Docs = {
  operation: 'createCollection',
  summary: 'Create a collection',
  description: [
    'Returns an unsigned transaction that moves money from deposit addresses, up to 200 at a time, to your receiving address (`treasury`). Any wallet can send it and pays the gas. It cannot move money to any other address. The server does not store it. Send the transaction, then repeat the request until `step` is `nothing`.',
    '- `collect`: the transaction collects `amounts`; `remaining` addresses are left for the next one.\n- `deploy_factory`: the contract that collects the money is not on this chain yet. The transaction deploys it. This is needed once for each chain.\n- `impossible`: the deployment proxy that the contract needs is not on this chain.\n- `nothing`: there is nothing to collect.',
    'A deposit address always keeps the receiving address with which it was created. One transaction collects to one receiving address. For the others, repeat the request with `treasury` set to an entry of `otherTreasuries`.',
    '`leftOut` lists what cannot be collected now, with a `reason`:',
    '- `payment_open`: the payment is still open.\n- `treasury_differs`: the receiving address is a contract on the chain of the payment, and is not the same contract on this chain.\n- `treasury_public`: it is the receiving address of the sandbox. Its private key is not secret.\n- `treasury_unknown`: the chain of the payment does not answer, so the receiving address cannot be compared.\n- `refused`: the token refuses the transfer now, or the receiving address does not accept the money.',
  ].join('\n\n'),
  answers: { 201: collectionShape },
  refusals: ['unsupported_asset', 'chain_unavailable'],
  example: { chainId: 31337, asset: 'TUSD', treasury: example.address },
}

export const getRecoveryFileDocs: Docs = {
  operation: 'getRecoveryFile',
  summary: 'Download the recovery file',
  description:
    'With this file and a node, `bun run recover` finds and collects all money at deposit addresses, in both modes and without this server. It can move money only to your receiving addresses. The file shows which payments are yours: keep it confidential. Download it again after a receiving address has changed, or the server has a new chain or token.',
  answers: { 200: recoveryFileShape },
  refusals: ['chain_unavailable'],
}

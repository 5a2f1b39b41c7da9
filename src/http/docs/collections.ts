import { balancesShape, collectionShape, recoveryFileShape } from '../../records/shapes/collection.ts'
import { example } from '../../records/shapes/wire.ts'
import type { Docs } from '../openapi/docs.ts'

export const listBalances: Docs = {
  operation: 'listBalances',
  summary: 'Read what waits to be collected',
  description:
    'Money that has arrived at addresses of payments and is there still, by chain, asset and treasury, as the chain says now. Whatever it was sent for counts: another asset or chain than the payment’s, too. A chain that does not answer is in `unavailable`, and the others are in `data`.',
  answers: { 200: balancesShape },
}

export const createCollection: Docs = {
  operation: 'createCollection',
  summary: 'Make the transaction that collects',
  description: [
    'An unsigned transaction that brings money from the addresses of payments to their treasury, up to 200 addresses at once. Any wallet may send it and pay the gas; it can move nothing to anywhere else. Nothing is kept: send it, and ask again until `step` is `nothing`.',
    '- `collect`: the transaction collects `amounts`; `remaining` addresses are left for the next one.\n- `deploy_factory`: the chain lacks the contract that collects, and the transaction puts it there. Once for everybody.\n- `impossible`: the chain lacks the deployment proxy that this takes.\n- `nothing`: there is nothing to collect.',
    'An address keeps the treasury that it was made with. One transaction serves one of them; `otherTreasuries` are those to ask for next, by `treasury`.',
    'What has to stay is in `leftOut`. `payment_open`: the payment may still be paid. `treasury_differs`: the treasury is a contract, and another one or none on this chain. `treasury_public`: it is the treasury of the sandbox, whose key anybody can have. `treasury_unknown`: the chain that the payment was for does not say what the treasury is. `refused`: the token does not let it go now, or the treasury does not take it.',
  ].join('\n\n'),
  answers: { 201: collectionShape },
  refusals: ['unsupported_asset', 'chain_unavailable'],
  example: { chainId: 31337, asset: 'TUSD', treasury: example.address },
}

export const getRecoveryFile: Docs = {
  operation: 'getRecoveryFile',
  summary: 'Download the recovery file',
  description:
    'With it and a node, `bun run recover` finds and collects everything that was ever paid, in both modes and without this service. It moves nothing but to your treasuries; who has it can tell which payments are yours. Download it again when a receiving address has changed, or the service has another chain or token: it lists those that are looked for.',
  answers: { 200: recoveryFileShape },
  refusals: ['chain_unavailable'],
}

import type { Services } from '../actors/services.ts'
import { requireAddress } from '../chain/address.ts'
import { readTreasuryCode } from '../chain/collect/treasury.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import type { Treasury } from '../chain/recovery/file.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { listTreasuries, type TreasuryRow } from '../queries/recovery.ts'
import { sandboxTreasury } from '../sandbox/treasury.ts'

type Given = Pick<Services, 'sql'> & { readonly chains: Chains }

/**
 * All treasuries of a merchant, with the hash of their code on the chains that pay into them. A treasury that is a contract
 * on some chains only is listed twice. 'unavailable' if a chain does not answer and may be the only one with the contract.
 */
export const findTreasuries = async (
  { sql, chains }: Given,
  merchantId: string,
): Promise<readonly Treasury[] | 'unavailable'> => {
  const rows = Map.groupBy(await listTreasuries(sql, merchantId), ({ address }) => address)
  const ofSandbox = { address: sandboxTreasury(merchantId), codeHash: null, onlyOn: sandboxId }
  rows.delete(ofSandbox.address)
  const found = await Promise.all([...rows].map(([address, its]) => treasuryOf(chains, address, its)))
  if (found.includes('unavailable')) return 'unavailable'
  return [...found.filter(each => each !== 'unavailable').flat(), ofSandbox]
}

const treasuryOf = async (
  chains: Chains,
  text: string,
  rows: readonly TreasuryRow[],
): Promise<readonly Treasury[] | 'unavailable'> => {
  const address = requireAddress(text)
  const payingIn = chains.all.filter(({ chain }) =>
    rows.some(({ chain_id, livemode }) => (chain_id === null ? chain.livemode === livemode : chain.id === chain_id)),
  )
  // Its chains are not enabled. An address without a contract needs no chain.
  if (payingIn.length === 0) return [{ address, codeHash: null, onlyOn: null }]
  const codes = await Promise.all(
    payingIn.map(async ({ rpc }) => {
      try {
        return await readTreasuryCode(rpc.batch, address)
      } catch (error) {
        if (error instanceof RpcFault || error instanceof RpcRefusal) return undefined
        throw error
      }
    }),
  )
  const answers = [...new Set(codes)].filter(code => code !== undefined)
  // The chain that does not answer may be the one with the contract. A file without its hash could not collect there.
  if (codes.includes(undefined) && !answers.some(code => code !== null)) return 'unavailable'
  return answers.map(codeHash => ({ address, codeHash, onlyOn: null }))
}

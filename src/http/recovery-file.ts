import type { Token } from '../chain/chain.ts'
import { type RecoveryToken, writeRecoveryFile } from '../chain/recovery/file.ts'
import { findTreasuries } from '../collect/treasuries.ts'
import { recoverySecretOf } from '../commands/deposits.ts'
import { refuse } from '../errors.ts'
import { encodeId } from '../ids.ts'
import { findHighestCounter, recordRecoveryFile } from '../queries/recovery.ts'
import { accountActorOf } from './account-actor.ts'
import { JSON_TYPE } from './answer.ts'
import { getRecoveryFileDocs } from './docs/collections.ts'
import { forMembers, type Route } from './route.ts'

export const recoveryFileRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'owner', stepUp: true },
    {
      path: '/v1/merchants/:merchantId/recovery-file',
      docs: getRecoveryFileDocs,
      handle: async (api, call) => {
        const { merchantId } = call.member
        const treasuries = await findTreasuries(api, merchantId)
        if (treasuries === 'unavailable') return refuse('chain_unavailable', { retryAfter: 5 })
        const secret = await recoverySecretOf(api, api.keyring, merchantId)
        const highestCounter = await findHighestCounter(api.sql, merchantId)
        const chains = api.chains.all.map(({ chain: { id, tokens } }) => ({ chainId: id, tokens: tokens.map(listed) }))
        // The role may have been changed since the guard has checked it.
        if (!(await recordRecoveryFile(api.sql, merchantId, accountActorOf(call)))) return refuse('insufficient_role')
        const name = `paymachine-recovery-${encodeId('mer', merchantId)}.json`
        return {
          status: 200,
          headers: { ...JSON_TYPE, 'content-disposition': `attachment; filename="${name}"` },
          text: writeRecoveryFile({ treasuries, secret, highestCounter, chains }),
        }
      },
    },
  ),
]

const listed = ({ asset, address, decimals }: Token): RecoveryToken => ({
  ...{ asset, address: `0x${address.slice(2)}`, decimals },
})

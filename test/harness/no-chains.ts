import { type Chains, connectChains } from '../../src/chain/enabled/connect.ts'
import type { Dependencies } from '../../src/dependencies.ts'
import type { ApiOptions } from '../../src/http/api.ts'
import { noWeb } from '../../src/server/web.ts'

/** The chains of an instance on which no chain is enabled. */
export const noChains = (outside: Pick<Dependencies, 'clock' | 'random' | 'log'>): Chains =>
  connectChains([], () => [], outside)

/** API options for tests that need neither chains nor sign-ups. */
export const noChainOptions = (
  outside: Dependencies,
): Pick<ApiOptions, 'chains' | 'sandbox' | 'signUpCode' | 'web'> => ({
  chains: noChains(outside),
  sandbox: undefined,
  signUpCode: null,
  web: noWeb,
})

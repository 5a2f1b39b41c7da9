import { type Chains, connectChains } from '../../src/chain/enabled/connect.ts'
import type { ApiOptions } from '../../src/http/api.ts'
import type { Outside } from '../../src/outside.ts'

/** The chains of an instance on which no chain is enabled. */
export const noChains = (outside: Pick<Outside, 'clock' | 'random' | 'log'>): Chains =>
  connectChains([], () => [], outside)

/** API options for tests that need neither chains nor sign-ups. */
export const noChainOptions = (outside: Outside): Pick<ApiOptions, 'chains' | 'sandbox' | 'signUpCode'> => ({
  chains: noChains(outside),
  sandbox: undefined,
  signUpCode: null,
})

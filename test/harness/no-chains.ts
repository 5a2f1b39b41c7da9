import { type Chains, connectChains } from '../../src/chain/enabled/connect.ts'
import type { ApiOptions } from '../../src/http/api.ts'
import type { Outside } from '../../src/outside.ts'

/** Of an instance that no chain is switched on in. */
export const noChains = (outside: Pick<Outside, 'clock' | 'random' | 'log'>): Chains =>
  connectChains([], () => [], outside)

/** What an interface is opened with by who is after something else than chains or sign-ups. */
export const plainly = (outside: Outside): Pick<ApiOptions, 'chains' | 'sandbox' | 'signUpCode'> => ({
  chains: noChains(outside),
  sandbox: undefined,
  signUpCode: null,
})

import { type } from 'arktype'
import { example } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { address, chainId } from '../../fields/wire.ts'

export const checkedAddressShape = shape({
  name: 'CheckedAddress',
  type: () =>
    type({
      address: address(),
      chains: type({ chainId: chainId(), isContract: 'boolean | null' }).array(),
    }),
  example: {
    address: example.address,
    chains: [
      { chainId: 8453, isContract: true },
      { chainId: 1, isContract: null },
    ],
  },
  inside: {
    address: 'The address, with the checksum of EIP-55.',
    chains: 'The chains of this mode that are enabled on the server.',
    'chains.isContract':
      'Whether the address is a contract on this chain, such as a Safe. Null if the chain did not answer.',
  },
})

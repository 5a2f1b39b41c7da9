import { type } from 'arktype'
import { example } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { address, atomic, chainId, count } from '../../fields/wire.ts'

const amount = () =>
  ({
    asset: 'string',
    tokenAddress: address().or('null'),
    decimals: count(),
    amount: atomic(),
    addresses: count(),
  }) as const
const exampleAmount = { asset: 'TUSD', tokenAddress: example.address, decimals: 6, amount: '49000000', addresses: 2 }

export const balanceShape = shape({
  name: 'Balance',
  type: () =>
    type({
      object: "'balance'",
      chainId: chainId(),
      network: 'string',
      ...amount(),
      treasury: address(),
      livemode: 'boolean',
    }),
  example: {
    object: 'balance',
    chainId: 31337,
    network: 'Sandbox',
    ...exampleAmount,
    treasury: example.address,
    livemode: false,
  },
})

/** A list of balances, and the chains that did not answer. */
export const balancesShape = shape({
  name: 'BalanceList',
  type: () =>
    type({
      object: "'list'",
      data: balanceShape.type().array(),
      has_more: 'boolean',
      unavailable: type({ chainId: chainId(), network: 'string' }).array(),
    }),
  example: { object: 'list', data: [balanceShape.example], has_more: false, unavailable: [] },
  parts: [balanceShape],
})

export const collectionShape = shape({
  name: 'Collection',
  type: () =>
    type({
      object: "'collection'",
      chainId: chainId(),
      network: 'string',
      asset: 'string | null',
      treasury: address().or('null'),
      step: "'collect' | 'deploy_factory' | 'impossible' | 'nothing'",
      unsignedTransaction: type({
        chainId: chainId(),
        to: address(),
        data: /^0x([0-9a-f]{2})*$/,
        value: atomic(),
        gas: count(),
      }).or('null'),
      addresses: count(),
      gasPerAddress: count().or('null'),
      amounts: type(amount()).array(),
      remaining: count(),
      leftOut: type({
        reason: "'payment_open' | 'treasury_public' | 'treasury_differs' | 'treasury_unknown' | 'refused'",
        treasury: address(),
        ...amount(),
      }).array(),
      otherTreasuries: type({ treasury: address(), addresses: count() }).array(),
      livemode: 'boolean',
    }),
  example: {
    object: 'collection',
    chainId: 31337,
    network: 'Sandbox',
    asset: null,
    treasury: example.address,
    step: 'collect',
    unsignedTransaction: { chainId: 31337, to: example.address, data: '0x2c1c9d7a', value: '0', gas: 115762 },
    addresses: 2,
    gasPerAddress: 55125,
    amounts: [exampleAmount],
    remaining: 0,
    leftOut: [{ reason: 'payment_open', treasury: example.address, ...exampleAmount, addresses: 1 }],
    otherTreasuries: [],
    livemode: false,
  },
})

export const recoveryFileShape = shape({
  name: 'RecoveryFile',
  type: () =>
    type({
      version: count(),
      treasuries: type({
        address: address(),
        codeHash: type(/^0x[0-9a-f]{64}$/).or('null'),
        onlyOn: chainId().or('null'),
      }).array(),
      factory: address(),
      secret: /^[0-9a-f]{64}$/,
      highestCounter: count().or('null'),
      chains: type({
        chainId: chainId(),
        tokens: type({ asset: 'string', address: address(), decimals: count() }).array(),
      }).array(),
    }),
  example: {
    version: 1,
    treasuries: [{ address: example.address, codeHash: null, onlyOn: null }],
    factory: '0xfee2254a07d11ed07be7df776cd6f13ddd5e6f3f',
    secret: '5ec2e7'.padEnd(64, '0'),
    highestCounter: 41,
    chains: [{ chainId: 31337, tokens: [{ asset: 'TUSD', address: example.address, decimals: 6 }] }],
  },
})

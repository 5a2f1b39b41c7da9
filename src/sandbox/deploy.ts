import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import { deploymentProxy } from '../chain/forwarder.ts'
import { lazy } from '../lazy.ts'
import { deployments, owner } from './contracts.ts'
import { callNode, NodeError } from './node-client.ts'

/** Deploys missing contracts. Safe if two processes do it at the same time: the second deployment fails harmlessly. */
export const deploy = async (url: string) => {
  const missing = await withoutCode(
    url,
    deployments.map(({ address }) => address),
  )
  if (missing.length === 0) return
  if ((await withoutCode(url, [deploymentProxy])).length > 0) await deployProxy(url)
  for (const { address, input } of deployments)
    if (missing.includes(address))
      await callIgnoringRefusals(url, 'eth_sendTransaction', {
        from: owner,
        to: deploymentProxy,
        data: input,
        gas: '0x2dc6c0',
      })
  await mineUntilThere(url, missing)
}

/**
 * The well-known transaction, whose signature belongs to no known key, so that the proxy has the same address
 * everywhere.
 */
const deployProxy = async (url: string) => {
  await callIgnoringRefusals(url, 'eth_sendTransaction', { from: owner, to: proxySigner, value: '0x2386f26fc10000' })
  await mine(url)
  await callIgnoringRefusals(url, 'eth_sendRawTransaction', proxyDeployment)
  await mineUntilThere(url, [deploymentProxy])
}

const proxySigner = '0x3fab184622dc19b6109349b94811493bf2a45362'
const proxyDeployment =
  '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222'

const mineUntilThere = async (url: string, addresses: readonly string[]) => {
  for (let tries = 0; tries < 30; tries++) {
    await mine(url)
    if ((await withoutCode(url, addresses)).length === 0) return
    await sleep(100)
  }
  throw new NodeError('eth_sendTransaction', 0)
}

/** A node that mines by itself may refuse this. */
export const mine = (url: string) => callIgnoringRefusals(url, 'evm_mine')

/** Whether there are pending transactions. */
export const hasPending = async (url: string): Promise<boolean> => {
  const status = await callNode(url, 'txpool_status').catch(() => undefined)
  return isPool().allows(status) && Number(status.pending) > 0
}

const isPool = lazy(() => type({ pending: 'string' }))

/** Ignores refusals: another process may have done the same at this moment. The callers check the chain afterwards. */
const callIgnoringRefusals = async (url: string, method: string, ...params: readonly unknown[]) => {
  try {
    await callNode(url, method, ...params)
  } catch (error) {
    if (!(error instanceof NodeError) || error.code === undefined) throw error
  }
}

const withoutCode = async (url: string, addresses: readonly string[]): Promise<readonly string[]> => {
  const codes = await Promise.all(addresses.map(address => callNode(url, 'eth_getCode', address, 'latest')))
  return addresses.filter((_, at) => codes[at] === '0x')
}

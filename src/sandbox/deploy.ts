import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import { deploymentProxy } from '../chain/forwarder.ts'
import { lazy } from '../lazy.ts'
import { ask, NodeTrouble } from './ask.ts'
import { deployments, owner } from './contracts.ts'

/** Puts what is missing on the chain. Two that do so at once do no harm: the second finds the address taken. */
export const deploy = async (url: string) => {
  const missing = await withoutCode(
    url,
    deployments.map(({ address }) => address),
  )
  if (missing.length === 0) return
  if ((await withoutCode(url, [deploymentProxy])).length > 0) await deployProxy(url)
  for (const { address, input } of deployments)
    if (missing.includes(address))
      await tell(url, 'eth_sendTransaction', { from: owner, to: deploymentProxy, data: input, gas: '0x2dc6c0' })
  await mineUntilThere(url, missing)
}

/** As everywhere: one transaction signed by nobody's key, so that it has the same address on every chain. */
const deployProxy = async (url: string) => {
  await tell(url, 'eth_sendTransaction', { from: owner, to: proxySigner, value: '0x2386f26fc10000' })
  await mine(url)
  await tell(url, 'eth_sendRawTransaction', proxyDeployment)
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
  throw new NodeTrouble('eth_sendTransaction', 0)
}

/** A node that mines by itself may refuse to be told. */
export const mine = (url: string) => tell(url, 'evm_mine')

/** Whether a transaction is in no block yet. */
export const hasPending = async (url: string): Promise<boolean> => {
  const status = await ask(url, 'txpool_status').catch(() => undefined)
  return isPool().allows(status) && Number(status.pending) > 0
}

const isPool = lazy(() => type({ pending: 'string' }))

/** What is refused here may have been done by another process at this moment: the chain is looked at afterwards. */
const tell = async (url: string, method: string, ...params: readonly unknown[]) => {
  try {
    await ask(url, method, ...params)
  } catch (error) {
    if (!(error instanceof NodeTrouble) || error.code === undefined) throw error
  }
}

const withoutCode = async (url: string, addresses: readonly string[]): Promise<readonly string[]> => {
  const codes = await Promise.all(addresses.map(address => ask(url, 'eth_getCode', address, 'latest')))
  return addresses.filter((_, at) => codes[at] === '0x')
}

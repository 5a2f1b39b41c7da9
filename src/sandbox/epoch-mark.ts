import { callNode } from './node-client.ts'

/** An unused address. Its code contains the epoch of the chain. */
const EPOCH_ADDRESS = '0x0000000000000000000000000000000000e90c40'

/** Stores the epoch on the chain, so that processes that know only the URL use the same epoch. */
export const markEpoch = (url: string, epoch: string): Promise<unknown> =>
  // The first byte is zero (STOP), so that the code does nothing.
  callNode(url, 'anvil_setCode', EPOCH_ADDRESS, `0x00${epoch}`)

/** Returns undefined if the chain was not started by paymachine. */
export const readEpoch = async (url: string): Promise<string | undefined> => {
  const code = await callNode(url, 'eth_getCode', EPOCH_ADDRESS, 'latest')
  return /^0x00([0-9a-f]{16})$/.exec(String(code))?.[1]
}

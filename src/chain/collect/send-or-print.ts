import type { PrivateKeyAccount } from 'viem'
import { StartError } from '../../process/start-error.ts'
import { deploymentProxy, factory } from '../forwarder.ts'
import type { Ask } from '../rpc/ask.ts'
import type { Receipt } from '../rpc/receipt.ts'
import { findFactoryDeployment } from './factory.ts'
import type { Sweep } from './plan.ts'
import { sendAndWait, type TransactionRequest } from './send.ts'

/** Sends or prints transactions, for a command-line program. */
export type SendContext = {
  readonly ask: Ask
  readonly chainId: number
  /** Sends the transactions and pays the gas. Undefined: the transactions are printed. */
  readonly account: PrivateKeyAccount | undefined
  readonly say: (line: string) => void
  readonly print: (line: string) => void
}

/** Sends the transaction and returns its receipt, or prints it and returns undefined. */
export const sendOrPrint = async (
  { ask, chainId, account, say, print }: SendContext,
  transaction: TransactionRequest,
): Promise<Receipt | undefined> => {
  if (!account) {
    const { to, data, gasLimit } = transaction
    print(JSON.stringify({ chainId, to, data, value: '0x0', gas: `0x${gasLimit.toString(16)}` }))
    return undefined
  }
  const mined = await sendAndWait(ask, account, chainId, transaction)
  say(`  ${mined.transactionHash}`)
  return mined
}

/** Deploys the factory if needed. Returns whether it is deployed now: sweeps can be planned only then. */
export const deployFactoryIfNeeded = async (context: SendContext): Promise<boolean> => {
  const deployment = await findFactoryDeployment(context.ask)
  if (deployment.state === 'deployed') return true
  if (deployment.state === 'no_proxy')
    throw new StartError(
      `The deployment proxy ${deploymentProxy} is not on this chain: see Arachnid/deterministic-deployment-proxy`,
    )
  context.say('The contract that collects the money (factory) is not on this chain yet and is deployed first')
  if (await sendOrPrint(context, deployment.transaction)) return true
  context.say('Send this transaction, then run the same command again')
  return false
}

export const sendOrPrintSweep = async (context: SendContext, sweep: Sweep): Promise<Receipt | undefined> => {
  const mined = await sendOrPrint(context, sweep)
  context.say(`  ${gasLine(sweep, mined)}`)
  return mined
}

const gasLine = ({ salts, gasPerAddress }: Sweep, mined: Receipt | undefined): string => {
  const addresses = `${salts.length} ${salts.length === 1 ? 'address' : 'addresses'}`
  if (!mined) return `${addresses}, at most ${gasPerAddress} gas each`
  // The only event of the factory is a failed transfer.
  const stuck = mined.logs.filter(({ address }) => address === factory).length
  const each = Math.ceil(Number(mined.gasUsed) / salts.length)
  return `${addresses}, ${each} gas each${stuck > 0 ? `; ${stuck} transfers failed` : ''}`
}

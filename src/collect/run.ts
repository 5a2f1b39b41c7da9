import { parseArgs } from 'node:util'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Chains, ConnectedChain } from '../chain/enabled/connect.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { databaseClock } from '../clock.ts'
import type { Dependencies } from '../dependencies.ts'
import { openDeploymentChains } from '../deployment/chains.ts'
import { openDeploymentDatabase } from '../deployment/database.ts'
import { openDeploymentKeyring } from '../deployment/keyring.ts'
import { parseEnv } from '../env.ts'
import { decodeId } from '../ids.ts'
import { openLog } from '../log.ts'
import { connect } from '../postgres/connect.ts'
import { requireMigrated } from '../postgres/version.ts'
import { StartError } from '../process/start-error.ts'
import { hasMerchant } from '../queries/merchants.ts'
import { collect } from './collect.ts'
import { assetsOf } from './waiting.ts'

const usage = `Usage: bun run collect <merchant id> <chain id> [--asset <symbol>] [--live] [--send]
  Shows the money at deposit addresses, and prints the transactions that collect it to your receiving address, with
  the gas for each address. Any wallet can send them. Use --live for chains of live mode. With --send, they are sent
  with the private key on standard input, whose address needs native currency for gas:
    bun run collect mer_… 8453 --live --send < key-file`

type Options = ReturnType<typeof readOptions>

/** Environment, output and input of a command-line program. */
export type CollectTerminal = {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Standard output has only the transactions to sign, so that it can be piped. */
  readonly print: (line: string) => void
  readonly say: (what: unknown) => void
  /** All of standard input; undefined if it is a terminal. */
  readonly readInput: () => Promise<string> | undefined
}

/** `bun run collect`: collects the money of a merchant, for a running or a stopped server. Returns the exit code. */
export const runCollect = async (args: readonly string[], terminal: CollectTerminal): Promise<0 | 1> => {
  try {
    await carryOut(args, terminal)
    return 0
  } catch (error) {
    terminal.say(error instanceof StartError ? error.message : error)
    return 1
  }
}

const carryOut = async (
  args: readonly string[],
  { variables, print, say, readInput }: CollectTerminal,
): Promise<void> => {
  const options = readOptions(args)
  const env = parseEnv(variables)
  // Before the embedded database is started.
  const account = options.send ? await readKey(readInput) : undefined
  await using database = await openDeploymentDatabase(env)
  await using closing = new AsyncDisposableStack()
  const sql = closing.adopt(connect(database.url, { max: 2, name: 'paymachine collect' }), s => s.end({ timeout: 5 }))
  await requireMigrated(sql)
  const merchantId = decodeId('mer', options.merchant)
  if (!merchantId || !(await hasMerchant(sql, merchantId)))
    throw new StartError(`There is no merchant ${options.merchant}: see \`bun run admin merchants\``)
  const keyring = await openDeploymentKeyring(sql, env)
  const random = crypto.getRandomValues.bind(crypto)
  const outside: Dependencies = { sql, clock: databaseClock(), random, log: openLog('silent') }
  const chains = closing.adopt(openDeploymentChains(env, outside), c => c.close())
  const connected = chainOf(chains, options)
  const given = { sql, random, keyring, chains, connected, merchantId, asset: options.asset, account, say, print }
  await collect(given).catch(explainFor(connected))
}

const readOptions = (args: readonly string[]) => {
  const options = { asset: { type: 'string' }, live: { type: 'boolean' }, send: { type: 'boolean' } } as const
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [merchant, chain] = positionals
    if (merchant === undefined || !/^[1-9]\d{0,14}$/.test(chain ?? '') || positionals.length > 2)
      throw new StartError(usage)
    const { asset, live = false, send = false } = values
    return { merchant, chainId: Number(chain), asset, live, send }
  } catch {
    throw new StartError(usage)
  }
}

const readKey = async (readInput: CollectTerminal['readInput']): Promise<PrivateKeyAccount> => {
  const input = readInput()
  if (!input)
    throw new StartError(
      '--send reads the private key from standard input, so that it is not visible: … --send < key-file',
    )
  const key = (await input).trim()
  try {
    return privateKeyToAccount(`0x${key.replace(/^0x/, '')}`)
  } catch {
    // The error of viem contains the key.
    throw new StartError('Standard input is not a private key: a private key has 64 hexadecimal digits')
  }
}

const chainOf = (chains: Chains, { chainId, live, asset }: Options): ConnectedChain => {
  const connected = chains.find(chainId)
  if (!connected)
    throw new StartError(
      chainId === sandboxId
        ? 'The sandbox chain is not running: start the server, or set SANDBOX_RPC_URL'
        : `Chain ${chainId} is not enabled: set RPC_URLS_${chainId} to the URLs of its nodes, as for the server`,
    )
  const { chain } = connected
  if (chain.livemode !== live)
    throw new StartError(
      live
        ? `Chain ${chainId} is a test mode chain: remove --live`
        : `Chain ${chainId} is a live mode chain: add --live`,
    )
  const symbols = assetsOf(chain).map(each => each.asset)
  if (asset !== undefined && !symbols.includes(asset))
    throw new StartError(`--asset must be an asset of chain ${chainId}: ${symbols.join(', ')}`)
  return connected
}

const explainFor =
  ({ chain }: ConnectedChain) =>
  (error: unknown): never => {
    if (!(error instanceof RpcFault || error instanceof RpcRefusal)) throw error
    const remedy = chain.id === sandboxId ? 'check that its server is running' : `check RPC_URLS_${chain.id}`
    throw new StartError(`Chain ${chain.id}: ${error.message}; ${remedy}`)
  }

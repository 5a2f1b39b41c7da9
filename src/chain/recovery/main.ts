import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { StartError } from '../../process/start-error.ts'
import { parseAddress } from '../address.ts'
import { RpcFault, RpcRefusal } from '../rpc/rpc.ts'

const usage = `Usage: RPC_URL=<node of the chain> bun run recover <recovery file> [--token <address>]… [--gap <addresses>]
  Finds the money at all deposit addresses, and prints the transactions that collect it to your receiving address.
  Any wallet can send them. With SENDER_KEY, a private key with native currency for gas, they are sent. The output
  lists the tokens that are searched for: the known tokens of the chain, and those in the recovery file. Add others
  with --token. The search ends after --gap unused addresses in a row (default: 100000).`

/** `bun run recover`: collects all money with only the recovery file and a node, without the server. */
const main = async (args: readonly string[]): Promise<void> => {
  const { path, tokens, gap } = readOptions(args)
  const { RPC_URL: url = '', RPC_PROXY, SENDER_KEY: key } = process.env
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new StartError('RPC_URL must be the http or https URL of a node')
  const text = readText(path)
  // Loaded after the checks above, because it takes longer than they do: a typing error is reported immediately.
  const [{ withRetries }, { openNode }, { parseRecoveryFile }, { recover }] = await Promise.all([
    import('../rpc/ask.ts'),
    import('../rpc/node.ts'),
    import('./file.ts'),
    import('./recover.ts'),
  ])
  const recovery = parseRecoveryFile(text)
  const account = key === undefined ? undefined : await accountOf(key)

  const closing = new AbortController()
  const { batch } = openNode({
    name: 'node',
    url,
    proxy: RPC_PROXY || undefined,
    closed: closing.signal,
    now: Date.now,
  })
  // Standard output has only the transactions to sign, so that it can be piped.
  const say = (line: string) => console.error(line)
  const print = (line: string) => console.log(line)
  await recover({ ask: withRetries(batch), recovery, tokens, gap, account, say, print })
}

const readOptions = (args: readonly string[]) => {
  const options = {
    token: { type: 'string', multiple: true },
    gap: { type: 'string' },
    help: { type: 'boolean' },
  } as const
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    // Several times what skip_counters() in sql/105-chain-functions.sql skips when a backup is restored.
    const { token = [], gap = '100000', help } = values
    const [path] = positionals
    if (help || path === undefined || positionals.length > 1 || !/^[1-9]\d{0,7}$/.test(gap)) throw new StartError(usage)
    return { path, tokens: token.map(tokenOf), gap: Number(gap) }
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(usage)
  }
}

const tokenOf = (text: string): Hex => {
  const address = parseAddress(text)
  if (!address) throw new StartError(`--token ${text} is not an address`)
  return `0x${address.slice(2).toLowerCase()}`
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new StartError(`The file ${path} cannot be read`)
  }
}

const accountOf = async (key: string): Promise<PrivateKeyAccount> => {
  const { privateKeyToAccount } = await import('viem/accounts')
  try {
    return privateKeyToAccount(`0x${key.replace(/^0x/, '')}`)
  } catch {
    // The error of viem contains the key.
    throw new StartError('SENDER_KEY is not a private key')
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  const isExpected = [StartError, RpcFault, RpcRefusal].some(kind => error instanceof kind)
  console.error(isExpected && error instanceof Error ? error.message : error)
  process.exitCode = 1
}

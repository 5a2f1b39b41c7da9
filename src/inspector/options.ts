import { parseArgs } from 'node:util'
import { StartError } from '../process/start-error.ts'
import { machineNames } from '../resources.ts'

export type BridgeOptions = {
  /** Of the server that is inspected, without a slash at the end. */
  readonly server: string
  /** Of the relay; 0 for any unused one. */
  readonly port: number
  /** The filter, as in `GET /v1/ops/inspect`. */
  readonly filter: Readonly<Record<string, string>>
  readonly isConfirmed: boolean
}

export const inspectorUsage = `Usage: bun run inspector [--server http://127.0.0.1:3000] [--kind ${machineNames.join('|')}]
  [--actor <ID>] [--merchant <ID>] [--port <port of the relay>] [--yes]`

export const readBridgeOptions = (args: readonly string[]): BridgeOptions => {
  const { server = 'http://127.0.0.1:3000', port = '0', kind, actor, merchant, yes = false } = parse(args)
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw usageError('--port must be a port number')
  if (kind !== undefined && !machineNames.some(name => name === kind)) throw usageError(`--kind ${kind} is no machine`)
  const given = { kind, actor, merchantId: merchant }
  const filter = Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  return { server: originOf(server), port: Number(port), filter, isConfirmed: yes }
}

const text = { type: 'string' } as const

const parse = (args: readonly string[]) => {
  const options = {
    server: text,
    port: text,
    kind: text,
    actor: text,
    merchant: text,
    yes: { type: 'boolean' },
  } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : 'The options are not valid')
  }
}

/** A password is sent there. */
const originOf = (server: string): string => {
  if (!URL.canParse(server)) throw usageError('--server must be a URL')
  const { protocol, hostname, origin } = new URL(server)
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal))
    throw usageError('--server must begin with https://, unless it is on this machine')
  return origin
}

const usageError = (what: string) => new StartError(`${what}\n${inspectorUsage}`)

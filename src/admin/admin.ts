import { parseArgs } from 'node:util'
import { openPasswords } from '../access/passwords.ts'
import { databaseClock } from '../clock.ts'
import { openDeploymentDatabase } from '../deployment/database.ts'
import { openDeploymentKeyring } from '../deployment/keyring.ts'
import { parseEnv } from '../env.ts'
import { Refusal } from '../errors.ts'
import { connect } from '../postgres/connect.ts'
import { requireMigrated } from '../postgres/version.ts'
import { StartError } from '../process/start-error.ts'
import { accountCommands } from './accounts.ts'
import { analyticsCommands } from './analytics.ts'
import type { AdminCommand } from './command.ts'
import { machineCommands } from './machines.ts'
import { merchantCommands } from './merchants.ts'
import { operatorCommands } from './operators.ts'
import { signerCommands } from './signers.ts'

const commands: readonly AdminCommand[] = [
  ...merchantCommands,
  ...accountCommands,
  ...operatorCommands,
  ...signerCommands,
  ...machineCommands,
  ...analyticsCommands,
]

/** Environment, output and input of a command-line program. */
export type AdminTerminal = {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly print: (line: string) => void
  /** Prints an error. */
  readonly printError: (what: unknown) => void
  /** All of standard input. */
  readonly readInput: () => Promise<string>
}

/** `bun run admin`: commands for the operator, for a running or a stopped server. Returns the exit code. */
export const admin = async (args: readonly string[], terminal: AdminTerminal): Promise<0 | 1> => {
  try {
    await runCommand(args, terminal)
    return 0
  } catch (error) {
    terminal.printError(error instanceof StartError || error instanceof Refusal ? error.message : error)
    return 1
  }
}

const runCommand = async (
  [name, ...args]: readonly string[],
  { variables, print, readInput }: AdminTerminal,
): Promise<void> => {
  if (name === undefined || name === 'help' || name === '--help') return print(usage())
  const command = commands.find(each => each.name === name || each.name === `${name} ${args[0]}`)
  if (!command) throw new StartError(`Unknown command: ${name}\n${usage()}`)
  // Before the embedded database is started.
  const given = readOptions(command, command.name === name ? args : args.slice(1))

  const env = parseEnv(variables)
  await using database = await openDeploymentDatabase(env)
  const sql = connect(database.url, { max: 2, name: 'paymachine admin' })
  try {
    await requireMigrated(sql)
    const random = crypto.getRandomValues.bind(crypto)
    const keyring = () => openDeploymentKeyring(sql, env)
    const deps = { sql, clock: databaseClock(), random }
    await command.run({ ...deps, env, keyring, passwords: openPasswords(), print, readInput }, given)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const usage = (): string =>
  ['Usage: bun run admin <command>', ...commands.map(each => `  ${usageOf(each)}\n      ${each.does}`)].join('\n')

const usageOf = ({ name, options }: AdminCommand): string =>
  [
    name,
    ...Object.entries(options).map(([option, { value, optional, positional }]) => {
      if (positional) return `<${value}>`
      const shown = value === undefined ? `--${option}` : `--${option} <${value}>`
      return optional ? `[${shown}]` : shown
    }),
  ].join(' ')

const readOptions = (command: AdminCommand, args: readonly string[]): Record<string, string> => {
  const usageError = (what: string) => new StartError(`${what}\nUsage: bun run admin ${usageOf(command)}`)
  const declared = Object.entries(command.options)
  const options = Object.fromEntries(
    declared.map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
  )
  const [positional] = declared.find(([, option]) => option.positional) ?? []
  let parsed: { readonly values: Values; readonly positionals: readonly string[] }
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: positional !== undefined })
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : 'The options are not valid')
  }
  const [first, ...more] = parsed.positionals
  if (more.length > 0) throw usageError('Too many arguments')
  const values: Values =
    positional === undefined || first === undefined ? parsed.values : { ...parsed.values, [positional]: first }
  for (const [name, { optional, positional, value }] of declared)
    if (!optional && values[name] === undefined)
      throw usageError(`${positional ? `The ${value}` : `--${name}`} is missing`)
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
}

type Values = Readonly<Record<string, string | boolean | undefined>>

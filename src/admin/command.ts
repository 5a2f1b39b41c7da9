import type { Passwords } from '../access/passwords.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Env } from '../env.ts'
import type { Keyring } from '../keyring.ts'
import type { Operator } from '../queries/security-events.ts'

/** The environment of a command. */
export type AdminServices = Pick<Dependencies, 'sql' | 'clock' | 'random'> & {
  readonly passwords: Passwords
  readonly env: Env
  /** Opened on demand, because it creates a secret key in a data folder without one. */
  readonly keyring: () => Promise<Keyring>
  /** One line for the operator. */
  readonly print: (line: string) => void
  /** All of standard input. */
  readonly readInput: () => Promise<string>
}

/** A command. Its name has one word or two. */
export type AdminCommand = {
  readonly name: string
  /** What it does, for the usage. */
  readonly does: string
  /** Options, and the placeholders for their values in the usage. */
  readonly options: Readonly<Record<string, Option>>
  readonly run: (services: AdminServices, given: Readonly<Record<string, string>>) => Promise<void>
}

/** `positional`: its value may be given without its name. */
export type Option = { readonly value?: string; readonly optional?: true; readonly positional?: true }

/** Declares a command. In `run`, required options are strings. */
export const command = <const Options extends Readonly<Record<string, Option>>>(declared: {
  readonly name: string
  readonly does: string
  readonly options: Options
  readonly run: (services: AdminServices, given: Given<Options>) => Promise<void>
}): AdminCommand => ({ ...declared, run: (services, given) => declared.run(services, given as Given<Options>) })

type Given<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends { readonly optional: true } ? string | undefined : string
}

export const operator: Operator = { accountId: null, actor: 'operator', address: null }

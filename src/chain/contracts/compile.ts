import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'
import type { Abi, Hex } from 'viem'

/** The committed artifact of a contract. It does not depend on where or when it was compiled. */
export type Artifact = { readonly abi: Abi; readonly bytecode: Hex }

/**
 * Compiles the contracts of a folder's .sol files. Returns file names and contents: `TestDollar` becomes
 * `test-dollar.json`.
 */
export const compile = (folder: string): ReadonlyMap<string, string> => {
  const names = readdirSync(folder).filter(name => name.endsWith('.sol'))
  const sources = Object.fromEntries(names.map(name => [name, { content: readFileSync(join(folder, name), 'utf8') }]))
  const output: Output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))
  if (output.errors?.length) throw new Error(output.errors.map(error => error.formattedMessage).join('\n'))
  const contracts = Object.values(output.contracts).flatMap(each => Object.entries(each))
  return new Map(
    contracts
      // An interface has nothing to deploy.
      .filter(([, { evm }]) => evm.bytecode.object !== '')
      .map(([name, { abi, evm }]) => [fileOf(name), written({ abi, bytecode: `0x${evm.bytecode.object}` })]),
  )
}

const settings = {
  evmVersion: 'shanghai',
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  // Without the hash of the sources, which changes with every comment and path.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}

type Output = {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts: Readonly<Record<string, Readonly<Record<string, Contract>>>>
}

type Contract = { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }

const fileOf = (name: string): string => `${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()}.json`

const written = (artifact: Artifact): string => `${JSON.stringify(artifact, null, 2)}\n`

/** Every folder named `contracts`. Each is committed together with its artifacts. */
export const contractFolders = (): readonly string[] =>
  ['src', 'test']
    .flatMap(top => readdirSync(join(root, top), { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isDirectory() && entry.name === 'contracts')
    .map(entry => join(entry.parentPath, entry.name))

const root = fileURLToPath(new URL('../../../', import.meta.url))

// `bun src/chain/contracts/compile.ts` writes the artifacts next to the sources.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of contractFolders()) {
    for (const [name, text] of compile(folder)) {
      writeFileSync(join(folder, name), text)
      console.log(relative(root, join(folder, name)))
    }
  }
}

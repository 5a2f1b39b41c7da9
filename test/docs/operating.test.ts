import { expect, test } from 'bun:test'
import { knownChains } from '../../src/chain/known/table.ts'
import { codeIn, readText, tableRows } from './tables.ts'

const document = readText('docs/operating.md')

const firstColumn = (heading: string): readonly string[] => tableRows(document, heading).map(([cell]) => codeIn(cell))

test('the configuration table has every environment variable, and no other', () => {
  const wanted = [...variables(), ...secretFiles().map(name => `${name}_FILE`)]
  expect(wanted.length).toBeGreaterThan(25)
  expect(firstColumn('Configuration').toSorted()).toEqual(wanted.toSorted())
})

test('the configuration table has the defaults of the program', () => {
  const env = readText('src/env.ts')
  const found = [...env.matchAll(/^ {2}([A-Z_]+): .*\.default\('([^']+)'\)/gm)]
  const defaults = found.map(([, name = '', value = '']) => [name, value])
  expect(defaults.length).toBeGreaterThan(8)
  const listed = tableRows(document, 'Configuration').map(([name, value]) => [codeIn(name), codeIn(value)])
  for (const each of defaults) expect(listed).toContainEqual(each)
})

/** The variables that src/env.ts explains in its errors, which are all. */
const variables = (): readonly string[] => {
  const [, allowed = ''] = /^const allowed = \{(.*?)^\}/ms.exec(readText('src/env.ts')) ?? []
  return [...allowed.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name = '']) =>
    name === 'RPC_URLS_' ? 'RPC_URLS_<chainId>' : name,
  )
}

const secretFiles = (): readonly string[] => {
  const [, names = ''] = /secretNames = \[([^\]]*)\]/.exec(readText('src/process/secret-files.ts')) ?? []
  return [...names.matchAll(/'([A-Z_]+)'/g)].map(([, name = '']) => name)
}

test('the table of chains has the chains of the program', () => {
  const listed = tableRows(document, 'Chains and RPC nodes').filter(cells => cells.length === 5)
  expect(listed).toEqual(
    knownChains.map(({ id, network, livemode, native, tokens, finality }) => [
      String(id),
      network,
      livemode ? 'live' : 'test',
      [native, ...tokens].map(({ asset }) => asset).join(', '),
      finality === 'finalized' ? '`finalized` tag' : `${finality.confirmations} confirmations`,
    ]),
  )
})

test('the table of metrics has every metric, and no other', () => {
  const source = readText('src/http/metrics.ts')
  const names = new Set([...source.matchAll(/'((?:paymachine|process)_[a-z_]+)'/g)].map(([, name = '']) => name))
  expect(names.size).toBeGreaterThan(20)
  const listed = firstColumn('Health and metrics').filter(name => /^(paymachine|process)_/.test(name))
  expect(listed.toSorted()).toEqual([...names].sort())
})

test('the table of operator commands has every command, and no other', () => {
  const sources = ['accounts', 'merchants', 'operators', 'signers', 'signer-release', 'machines', 'analytics'].map(
    name => readText(`src/admin/${name}.ts`),
  )
  const names = sources.flatMap(source => [...source.matchAll(/^ +name: '([a-z -]+)'/gm)].map(([, name = '']) => name))
  expect(names.length).toBeGreaterThan(10)
  expect(firstColumn('Accounts and merchants').toSorted()).toEqual(names.toSorted())
})

test('the reasons why a refund needs attention are those of the database', () => {
  const attention = readText('sql/106-refunds-functions.sql')
  const [, body = ''] = /refunds_needing_attention(.*?)^\$\$;/ms.exec(attention) ?? []
  const [, doubts = ''] =
    /refund_looks_doubt check \(\s*doubt in \(([^)]*)\)/.exec(readText('sql/006-refunds.sql')) ?? []
  const named = [...body.matchAll(/chain_id, '([a-z_]+)'/g), ...doubts.matchAll(/'([a-z_]+)'/g)]
  const listed = tableRows(document, 'Reasons why a refund needs attention').flatMap(([why = '']) =>
    why.startsWith('`') ? [codeIn(why)] : [],
  )
  expect(listed.toSorted()).toEqual(named.map(([, why = '']) => why).sort())
})

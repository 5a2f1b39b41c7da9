import { expect, test } from 'bun:test'
import process from 'node:process'
import { clonedFiles } from './harness/clone.ts'
import { biome, copyOfTree } from './harness/tree-copy.ts'

const skipped = clonedFiles().includes('package.json') ? '' : ' (skipped: git cannot list the files of a clone here)'

/** Where the lines around a change differ now, write it again as CONTRIBUTING says of test/new-resource.patch. */
const patch = 'test/new-audit-rule.patch'

test.skipIf(skipped !== '')(
  `a new audit rule needs its file, its row in the list of rules, and a planted corruption that it finds${skipped}`,
  async () => {
    await using tree = copyOfTree()
    const before = tree.snapshot()
    tree.run('git', 'apply', patch)
    const touched = tree.run('git', 'diff-tree', '-r', '--name-only', before, tree.snapshot()).trim().split('\n')
    expect(touched).toEqual([
      'src/audit/rules/merchant-times.ts',
      'src/audit/rules/rules.ts',
      'test/audit/rules.test.ts',
    ])
    tree.run(biome, 'check', ...touched)
    const rules = ['a merchant that was changed before', 'an unchanged service'].join('|')
    const bunTest = [process.execPath, 'test', '--timeout', '120000'] as const
    tree.run(...bunTest, '--test-name-pattern', rules, './test/audit/rules.test.ts')
    tree.run(...bunTest, './test/imports.test.ts', './test/homonyms.test.ts')
  },
  400_000,
)

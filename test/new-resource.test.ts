import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { clonedFiles } from './harness/clone.ts'
import { biome, copyOfTree, tsc } from './harness/tree-copy.ts'

const skipped = clonedFiles().includes('package.json') ? '' : ' (skipped: git cannot list the files of a clone here)'

/** What CONTRIBUTING promises: with tests, the golden schema and the diagrams. */
const MOST_FILES = 15

/** Tests that compare everything of a kind. */
const comparing = [
  ...['test/resources.test.ts', 'test/schema.test.ts', 'test/docs/machines.test.ts', 'test/docs/writers.test.ts'],
  ...['test/records/', 'test/http/openapi.test.ts', 'test/http/vouchers.test.ts'],
]

/** Tests of each machine, type of event and route. Those with the new resource in their name are run. */
const walking = [
  ...['test/machines/all.test.ts', 'test/kinds/all.test.ts', 'test/kinds/tables.test.ts', 'test/actors/step.test.ts'],
  'test/kinds/event-marks.test.ts',
  ...['test/webhooks/largest.test.ts', 'test/http/walk.test.ts'],
]

/** It takes 30 s of processor time. The type checker would double that, and finds nothing that these tests do not. */
const PATIENCE_MS = 400_000

/**
 * Where the lines around a change differ now, `git apply` fails: `git apply --reject` it, add what it rejects by hand,
 * and write it again without the generated files: `git add -N . && git diff -U1 -- machines sql src test/machines
 * test/http`.
 */
const patch = 'test/new-resource.patch'

test.skipIf(skipped !== '')(
  `a new resource needs at most ${MOST_FILES} files, with its tests${skipped}`,
  async () => {
    await using tree = copyOfTree()
    const before = tree.snapshot()
    tree.run('git', 'apply', patch)
    tree.run(process.execPath, 'test/schema.ts')
    tree.run(process.execPath, 'test/diagrams.ts')
    const touched = tree.run('git', 'diff-tree', '-r', '--name-only', before, tree.snapshot()).trim().split('\n')
    expect(touched).toContain('src/resources.ts')
    expect(touched.length, touched.join('\n')).toBeLessThanOrEqual(MOST_FILES)

    tree.run(biome, 'check', ...touched.filter(name => name.endsWith('.ts')))
    const bunTest = [process.execPath, 'test', '--timeout', '120000'] as const
    tree.run(...bunTest, ...comparing.map(name => `./${name}`))
    tree.run(...bunTest, '--test-name-pattern', 'voucher', ...walking.map(name => `./${name}`))
  },
  PATIENCE_MS,
)

test.skipIf(skipped !== '')(
  `a new machine whose events are not marked does not compile${skipped}`,
  async () => {
    await using tree = copyOfTree()
    const marks = 'src/kinds/event-marks.ts'
    const project = { extends: './tsconfig.json', files: [marks], include: [] }
    writeFileSync(join(tree.path, 'tsconfig.marks.json'), JSON.stringify(project))
    const compile = () => tree.attempt(tsc, '--noEmit', '--incremental', 'false', '-p', 'tsconfig.marks.json')
    tree.run('git', 'apply', patch)
    expect(compile().text).toBe('')
    // The machine stays, and its marks go.
    tree.run('git', 'apply', '--reverse', `--include=${marks}`, patch)
    const without = compile()
    expect(without.status).not.toBe(0)
    expect(without.text).toContain(marks)
    expect(without.text).toContain('voucher')
  },
  PATIENCE_MS,
)

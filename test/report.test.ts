import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testReport } from './report.ts'

const fine = "test('fine', () => expect(1).toBe(1))"
const failing = `test('a "failing" <test>', () => expect(1).toBe(2))`

/** The report on a run of these files, two at a time as the suite runs. */
const reportOn = async (files: readonly string[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  try {
    files.forEach((text, i) => {
      writeFileSync(join(folder, `${i}.test.ts`), `import { expect, test } from 'bun:test'\n${text}\n`)
    })
    const file = join(folder, 'report.xml')
    const options = ['--parallel=2', '--no-isolate', '--reporter=junit', `--reporter-outfile=${file}`]
    const child = Bun.spawn([process.execPath, 'test', ...options], { cwd: folder, stdout: 'ignore', stderr: 'pipe' })
    const ending = await new Response(child.stderr).text()
    return testReport(await child.exited, file, ending)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('a run without failures', async () => {
  expect(await reportOn([fine, `${fine}\ntest.skipIf(true)('later', () => {})`])).toEqual({
    code: 0,
    passed: 2,
    failed: 0,
    files: [],
    names: [],
    isBroken: false,
  })
})

test('a run with a failed test names it and its file', async () => {
  expect(await reportOn([fine, `${fine}\n${failing}`])).toEqual({
    code: 1,
    passed: 2,
    failed: 1,
    files: ['1.test.ts'],
    names: ['a "failing" <test> (1.test.ts)'],
    isBroken: false,
  })
})

test.each([
  ['a module that does not exist', "import './nothing.ts'"],
  ['an error between tests', "Promise.reject(Error('between'))\ntest('slow', () => Bun.sleep(200))"],
  ['a crash', "test('crash', () => process.kill(process.pid, 'SIGKILL'))"],
])('a run with a failed test and %s is broken', async (_, text) => {
  const report = await reportOn([failing, text])
  expect([report.isBroken, report.code]).toEqual([true, 1])
  expect(report.failed).toBeGreaterThan(0)
})

test('a run without a report failed', () => {
  const { code, failed, files } = testReport(1, '/nowhere/report.xml', '')
  expect([code, failed, files]).toEqual([1, 1, []])
})

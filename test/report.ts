import { existsSync, readFileSync } from 'node:fs'

/** What one run of `bun test` did. */
export type TestReport = {
  readonly code: number
  readonly passed: number
  readonly failed: number
  /** The files with failed tests. */
  readonly files: readonly string[]
  /** The failed tests. */
  readonly names: readonly string[]
  /** There was an error outside a test, or a crash. */
  readonly isBroken: boolean
}

/** Reads the JUnit report and the last lines of a run of `bun test`. A run that ended without a report failed. */
export const testReport = (code: number, file: string, ending: string): TestReport => {
  const xml = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const total = (name: string) => Number(xml.match(`<testsuites [^>]*\\b${name}="(\\d+)"`)?.[1] ?? 0)
  // A failed test has a body; the others end in `/>`.
  const failures = [...xml.matchAll(/<testcase ([^>]*[^/])>\s*<failure/g)].map(([, attributes = '']) => ({
    name: decoded(attributes.match(/\bname="([^"]*)"/)?.[1] ?? ''),
    file: decoded(attributes.match(/\bfile="([^"]*)"/)?.[1] ?? ''),
  }))
  const failed = total('failures')
  return {
    code,
    passed: total('tests') - failed - total('skipped'),
    failed: Math.max(failed, code === 0 ? 0 : 1),
    files: [...new Set(failures.map(failure => failure.file))],
    names: failures.map(({ name, file }) => `${name} (${file})`),
    isBroken: /^ \d+ errors?$/m.test(ending) || failed !== failures.length || xml.includes('(worker crashed)'),
  }
}

export const addCounts = (reports: readonly TestReport[]) => ({
  passed: reports.reduce((sum, { passed }) => sum + passed, 0),
  failed: reports.reduce((sum, { failed }) => sum + failed, 0),
})

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decoded = (text: string): string => text.replace(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole)

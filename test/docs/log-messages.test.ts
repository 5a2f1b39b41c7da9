import { expect, test } from 'bun:test'
import { findLogCalls, type LogCall, logCallsIn } from './log-calls.ts'
import { codeIn, readText, tableRows } from './tables.ts'

const calls = await findLogCalls()
const documented = tableRows(readText('docs/operating.md'), 'Log messages').filter(cells => cells.length === 4)

/** Calls whose message is a variable: two functions that log for their callers, and graphile-worker's messages. */
const passing = ['src/chain/watch/chain-loops.ts', 'src/signer/warn-once.ts', 'src/workers/job-log.ts']

test('docs/operating.md lists every log message with its level, and no other', () => {
  const logged = new Set(calls.flatMap(({ level, message }) => (message === undefined ? [] : [`${level}: ${message}`])))
  expect(logged.size).toBeGreaterThan(50)
  const listed = documented.map(([message, level]) => `${level}: ${codeIn(message)}`)
  expect(listed.toSorted()).toEqual([...logged].sort())
})

test('each log message has a cause and a remedy', () => {
  for (const [message, , cause, remedy] of documented) if (!cause || !remedy) expect.unreachable(`${message}`)
})

test('a log message is a literal in its call, so that grep finds it', () => {
  const variable = calls.filter(({ message }) => message === undefined).map(({ at }) => at)
  expect(variable.toSorted()).toEqual(passing.toSorted())
})

test('a log message is a plain fact: no capital, no full stop, no person', () => {
  const odd = calls.filter(({ message }) => message !== undefined && !isPlain(message))
  expect(odd).toEqual([])
})

const isPlain = (message: string): boolean =>
  message.length <= 80 &&
  !/^(a|an|the) |\.$|:|\b(nobody|somebody|whoever|told|heard|instance|books|coins)\b/i.test(message) &&
  !/^[A-Z][a-z]/.test(message)

test.each<[string, readonly Pick<LogCall, 'level' | 'message'>[]]>([
  ["log.warn({ a: f('x)'), b }, 'row gone')", [{ level: 'warn', message: 'row gone' }]],
  ["log.info('started')", [{ level: 'info', message: 'started' }]],
  ["desk.log.error(\n  { a },\n  'row gone',\n)", [{ level: 'error', message: 'row gone' }]],
  ['log.warn({ a }, `row gone`)', [{ level: 'warn', message: undefined }]],
  ['log[levels[level]]({ a }, message)', [{ level: 'any', message: undefined }]],
  ["catch(err => log?.warn({ err }, 'row gone'))", [{ level: 'warn', message: 'row gone' }]],
  ["catalog.warn('x')", []],
])('finds what %s logs', (source, found) => {
  expect(logCallsIn('', source)).toEqual(found.map(each => ({ at: '', ...each })))
})

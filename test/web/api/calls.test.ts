import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { formatted } from './formatted.ts'
import { writeCalls } from './write-calls.ts'

test('the calls of the browser are those of the OpenAPI document; `bun run calls` writes them anew', () => {
  const written = readFileSync(new URL('../../../src/web/api/calls.ts', import.meta.url), 'utf8')
  expect(written).toBe(formatted(writeCalls()))
})

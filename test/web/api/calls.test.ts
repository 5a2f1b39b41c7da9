import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { formatted } from './formatted.ts'
import { callFiles, writeCalls } from './write-calls.ts'

test.each(['dashboard', 'ops'] as const)(
  'the calls of the %s are those of the OpenAPI document; `bun run calls` writes them anew',
  surface => {
    const written = readFileSync(new URL(`../../../${callFiles[surface]}`, import.meta.url), 'utf8')
    expect(written).toBe(formatted(writeCalls(surface)))
  },
)

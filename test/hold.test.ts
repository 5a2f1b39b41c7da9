import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hold } from '../src/hold.ts'

test('a folder in which nothing can be written is held by nobody, and that is said in a line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-hold-'))
  mkdirSync(join(folder, 'lock.pid'))
  expect(() => hold(folder)).toThrow(`${folder} cannot be written to by this user: give it to them`)
  rmSync(join(folder, 'lock.pid'), { recursive: true })
  hold(folder).release()
  rmSync(folder, { recursive: true })
})

import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { joinScript } from '../../src/pages/script.ts'

test('a script of several files is one text with each file once, after the files it imports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  try {
    write('main.js', "import { add } from './add.js'\nimport { one } from './one.js'\ntold.push(add(one, 2))\n")
    write('add.js', "import {\n  one,\n} from './one.js'\nexport const add = (a, b) => a + b * one\n")
    write('one.js', 'told.push("one")\nexport const one = 1\n')
    const told: unknown[] = []
    new Function('told', joinScript(pathToFileURL(join(folder, 'main.js'))))(told)
    expect(told).toEqual(['one', 3])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the script of the refund pages is one script that nothing in it can end early', () => {
  const text = joinScript(new URL('../../src/pages/refunds/main.js', import.meta.url))
  expect(() => new Function(text)).not.toThrow()
  expect(text).not.toMatch(/^(import|export) |<\/script|<!--|innerHTML|insertAdjacentHTML|document\.write|\beval\b/m)
})

import { expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { subjects } from '../kinds/subjects.ts'
import { arrive, differences } from './table.ts'

const folder = new URL('../../machines/', import.meta.url)

for (const { kind, subject } of subjects) {
  test(`the table of ${kind.name} covers every event of the machine in every state`, () => {
    const tried = new Set(Object.values(subject.events).map(event => event.type))
    expect(subject.machine.events.filter(type => !type.startsWith('xstate.') && !tried.has(type))).toEqual([])

    const situated = new Set(Object.values(subject.situations).map(path => String(arrive(subject, path).value)))
    expect(Object.keys(subject.machine.states).filter(state => !situated.has(state))).toEqual([])
  })

  const { table } = subject
  if (table !== undefined)
    test(`a ${kind.name} has the listed outcomes, and refuses every event that is not listed`, () => {
      expect(differences(subject, table)).toEqual([])
    })
}

test('machines import only XState and each other', async () => {
  for (const file of await readdir(folder)) {
    const text = await readFile(new URL(file, folder), 'utf8')
    const imports = [...text.matchAll(/ from '(.*)'/g)].map(([, from]) => from)
    expect(imports.filter(from => from !== 'xstate' && !from?.startsWith('./'))).toEqual([])
  }
})

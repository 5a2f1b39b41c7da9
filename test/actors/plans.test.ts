import { expect, test } from 'bun:test'
import { plansOf, waysTo } from '../harness/plans.ts'
import { createLamp, lampInstance, newId } from './lamps.ts'

test('whether an actor has taken a command before is found by its key, however long all histories are', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  const commands = await instance.sql<{ command: string }[]>`select command from transitions where actor = ${id}`
  const command = commands[0]?.command ?? ''
  // Statistics that were gathered before a caller chose the id of a command: one such row is expected.
  await instance.sql`update transitions set keyed = false`
  await instance.sql`analyze transitions`
  await instance.sql`update transitions set keyed = true`
  for (const every of [false, true]) {
    const taken: unknown[] = []
    const plans = await plansOf(instance.url, async sql => {
      taken.push(...(await sql`select * from find_taken(${[id, id]}::uuid[], ${[command, newId()]}::uuid[], ${every})`))
    })
    expect(taken).toEqual([{ actor: id, command }])
    const [index, condition] = every
      ? ['transitions_pkey', '(actor = a.actor)']
      : ['transitions_command_once', '((actor = a.actor) AND (command = a.command))']
    expect(waysTo('transitions', plans)).toEqual([index])
    expect(plans).toContain(`Index Cond: ${condition}`)
    // It would be filled with the keys of all histories.
    expect(plans).not.toContain('hashed SubPlan')
  }
})

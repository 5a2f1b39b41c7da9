import { readdirSync, readFileSync } from 'node:fs'

/** Microseconds of processor time of a process since its start, with its ended children. NaN without /proc. */
export const processorTime = (pid: number): number => {
  const stat = readStat(pid)
  return stat ? stat.own + stat.endedChildren : Number.NaN
}

/** The same for a process and its current children: Postgres and its backends. */
export const processorTimeOfTree = (pid: number): number => {
  const root = readStat(pid)
  if (!root) return Number.NaN
  let sum = root.own + root.endedChildren
  for (const name of readdirSync('/proc')) {
    const child = /^\d+$/.test(name) ? readStat(Number(name)) : undefined
    if (child?.parent === pid) sum += child.own + child.endedChildren
  }
  return sum
}

/** All processes of the machine. */
export const processorTimeOfAll = (): number => {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = all.split(/\s+/).slice(1).map(Number)
    return (user + nice + system + irq + softIrq) * TICK
  } catch {
    return Number.NaN
  }
}

/** Undefined unless there is such a process. */
export const parentOf = (pid: number, name: string): number | undefined => {
  const stat = readStat(pid)
  return stat?.name === name ? stat.parent : undefined
}

/** Linux reports these times in hundredths of a second to all processes. */
const TICK = 10_000

const readStat = (pid: number) => {
  try {
    // The name is the second field, in parentheses, and may contain any character.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = text.lastIndexOf(')')
    const fields = text.slice(end + 2).split(' ')
    const at = (field: number) => Number(fields[field - 3])
    const name = text.slice(text.indexOf('(') + 1, end)
    return { name, parent: at(4), own: (at(14) + at(15)) * TICK, endedChildren: (at(16) + at(17)) * TICK }
  } catch {
    return undefined
  }
}

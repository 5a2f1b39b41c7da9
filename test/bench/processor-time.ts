import { readdirSync, readFileSync } from 'node:fs'

/** Microseconds of processor time since a process began, its ended children included. Not a number without /proc. */
export const processorTime = (pid: number): number => {
  const stat = readStat(pid)
  return stat ? stat.own + stat.endedChildren : Number.NaN
}

/** The same of a process and the children that it has now: of Postgres and its backends. */
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

/** Of all processes of the machine. */
export const processorTimeOfAll = (): number => {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = all.split(/\s+/).slice(1).map(Number)
    return (user + nice + system + irq + softIrq) * TICK
  } catch {
    return Number.NaN
  }
}

/** Undefined unless there is a process of this name. */
export const parentOf = (pid: number, name: string): number | undefined => {
  const stat = readStat(pid)
  return stat?.name === name ? stat.parent : undefined
}

/** Linux counts in hundredths of a second for everybody who asks. */
const TICK = 10_000

const readStat = (pid: number) => {
  try {
    // The name comes second, in parentheses, and may hold any character.
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

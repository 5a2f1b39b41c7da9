import { readFileSync } from 'node:fs'

/**
 * Calls back when the chain of processes between npm and us breaks. `npx … run start` that is told
 * to end passes that on to its shell only, which ends without a word: we would go on unseen, holding
 * the port and the data folder.
 */
export const onLauncherEnd = (callback: () => void) => {
  const links = linksToNpm()
  if (links.length === 0) return
  const timer = setInterval(() => {
    if (links.every(([child, parent]) => parentOf(child) === parent)) return
    clearInterval(timer)
    callback()
  }, 500)
  timer.unref()
}

/** Child and parent, from us up to npm. Whatever started npm may end: it went to the background. */
const linksToNpm = (): readonly (readonly [number, number])[] => {
  const links: (readonly [number, number])[] = []
  for (let child = process.pid; ; ) {
    const parent = parentOf(child)
    // The top is reached, or there is no /proc here; macOS needs none of this, its shell makes way for us.
    if (!parent || parent === 1) return []
    links.push([child, parent])
    if (read(`/proc/${parent}/cmdline`).startsWith('npm ')) return links
    child = parent
  }
}

/** The fourth field of its stat; the second is a name in brackets that may hold anything. */
const parentOf = (pid: number): number => Number(read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1] ?? 0)

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

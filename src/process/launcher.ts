import { readFileSync } from 'node:fs'

/**
 * Calls back when a process between npm and this one ends. `npx … run start` forwards a signal only to its shell, which
 * ends without forwarding it: this process would keep running in the background, with the port and the data folder.
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

/** Child and parent, from this process up to npm. The parent of npm may end: npm then runs in the background. */
const linksToNpm = (): readonly (readonly [number, number])[] => {
  const links: (readonly [number, number])[] = []
  for (let child = process.pid; ; ) {
    const parent = parentOf(child)
    // Top of the process tree, or no /proc. macOS does not need this: its shell replaces itself with the process.
    if (!parent || parent === 1) return []
    links.push([child, parent])
    if (read(`/proc/${parent}/cmdline`).startsWith('npm ')) return links
    child = parent
  }
}

/** The fourth field of its stat. The second field is a name in brackets with any content. */
const parentOf = (pid: number): number => Number(read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1] ?? 0)

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

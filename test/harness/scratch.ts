import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/**
 * Where test clusters are made: in memory, if there is room. A database is a thousand files; creating them on a disk
 * from which others were just removed took up to half a second of CPU, in memory a tenth of that.
 */
export const scratch = (): string => (roomInMemory() >= 4 * 2 ** 30 ? memory : tmpdir())

/** Both places, to look for leftovers. */
export const scratches = (): readonly string[] => (roomInMemory() > 0 ? [memory, tmpdir()] : [tmpdir()])

const memory = '/dev/shm'

/** In bytes; 0 where /dev/shm does not exist, as on macOS. Containers have 64 MB by default. */
const roomInMemory = (): number => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize
  } catch {
    return 0
  }
}

import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/**
 * Where clusters of tests are: in memory, where that has room. A database is a thousand files, and making them
 * on a disk that others were just removed from took up to half a second of CPU, a tenth of that in memory.
 */
export const scratch = (): string => (roomInMemory() >= 4 * 2 ** 30 ? memory : tmpdir())

/** Both places, for whoever looks for what was left behind. */
export const scratches = (): readonly string[] => (roomInMemory() > 0 ? [memory, tmpdir()] : [tmpdir()])

const memory = '/dev/shm'

/** In bytes; 0 where there is no such thing, as on macOS. Containers have 64 MB unless told otherwise. */
const roomInMemory = (): number => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize
  } catch {
    return 0
  }
}

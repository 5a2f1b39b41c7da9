import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf } from '../harness/random.ts'
import type { System } from './system.ts'

/**
 * Small faults all the time, a few a second: what is decided on an outcome that is unknown, or arrives when it is no longer
 * expected, is the heart of the matter. Paused while something is to be measured without them.
 */
export const startBackground = ({ members }: System, random: () => number) => {
  let paused = 0
  let over = false
  const running = (async () => {
    while (!over) {
      await sleep(random() * 300)
      if (paused > 0) continue
      const { path, process } = oneOf(members, random)
      const kind = random()
      // A process that cannot begin is started again, which would never end.
      if (!process.isReady()) continue
      if (kind < 0.6) path.deliverLate(1, 50 + random() * 1_200)
      else if (kind < 0.8) path.loseAnswer(1 + Math.floor(random() * 4))
      else path.damageAnswer(1 + Math.floor(random() * 4))
    }
  })()
  return {
    without: async <T>(work: () => Promise<T>): Promise<T> => {
      paused++
      try {
        return await work()
      } finally {
        paused--
      }
    },
    end: async () => {
      over = true
      await running
    },
  }
}

export type Background = ReturnType<typeof startBackground>

import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf } from '../harness/random.ts'
import type { System } from './system.ts'

/**
 * Small faults all the time, a few per second: commits whose outcome is unknown, or which arrive when they are no longer
 * expected, are what this test is for. Paused while something is measured without faults.
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
      // A process that cannot start would be restarted for ever.
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

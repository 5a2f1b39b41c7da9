/** Questions under way at once, and those that one statement asks at most. */
const AT_ONCE = 2
const MOST = 100

/** What is under way for longer is gone past, though not by so many that a locked table takes all connections. */
const PATIENCE_MS = 1_000
const MOST_LATE = 4

/**
 * Asks questions of one kind, and those together that come while others are under way. Who asks alone
 * waits for nobody; under load one statement, one round trip and one plan answer many. Two connections
 * that swallow what is sent do not silence the others for as long as the kernel sends it again.
 */
export const together = <Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  patienceMs = PATIENCE_MS,
): ((question: Question) => Promise<Answer>) => {
  let underWay = 0
  let late = 0
  let waiting: Waiting<Question, Answer>[] = []

  const go = async (asked: readonly Waiting<Question, Answer>[]): Promise<void> => {
    try {
      const answers = await ask(asked.map(({ question }) => question))
      for (const [n, { resolve }] of asked.entries()) resolve(answers[n] as Answer)
    } catch (error) {
      // Nobody's question fails for another's.
      if (asked.length > 1) await Promise.all(asked.map(one => go([one])))
      else for (const { reject } of asked) reject(error)
    }
  }

  const next = (): void => {
    while (underWay < AT_ONCE + Math.min(late, MOST_LATE) && waiting.length > 0) {
      const asked = waiting.slice(0, MOST)
      waiting = waiting.slice(MOST)
      follow(go(asked))
    }
  }

  const follow = (going: Promise<void>): void => {
    let isLate = false
    underWay++
    const timer = setTimeout(() => {
      isLate = true
      late++
      next()
    }, patienceMs)
    void going.then(() => {
      clearTimeout(timer)
      underWay--
      if (isLate) late--
      next()
    })
  }

  return question =>
    new Promise((resolve, reject) => {
      // With all that came in the same turn of the event loop.
      if (waiting.push({ question, resolve, reject }) === 1) setImmediate(next)
    })
}

type Waiting<Question, Answer> = {
  readonly question: Question
  resolve(answer: Answer): void
  reject(error: unknown): void
}

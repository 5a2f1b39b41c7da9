/** Questions under way at once, and those that one statement asks at most. */
const AT_ONCE = 2
const MOST = 100

const PATIENCE_MS = 1_000

/**
 * Asks questions of one kind, and those together that come while others are under way. Who asks alone
 * waits for nobody; under load one statement, one round trip and one plan answer many. What is under way
 * for longer than our patience no longer counts: two connections that swallow what is sent would
 * silence all the others for as long as the kernel sends it again.
 */
export const together = <Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  patienceMs = PATIENCE_MS,
): ((question: Question) => Promise<Answer>) => {
  let underWay = 0
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
    while (underWay < AT_ONCE && waiting.length > 0) {
      const asked = waiting.slice(0, MOST)
      waiting = waiting.slice(MOST)
      count(go(asked))
    }
  }

  const count = (going: Promise<void>): void => {
    let counts = true
    const makeWay = () => {
      if (!counts) return
      counts = false
      underWay--
      next()
    }
    underWay++
    const late = setTimeout(makeWay, patienceMs)
    void going.then(() => {
      clearTimeout(late)
      makeWay()
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

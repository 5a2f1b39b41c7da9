import { RpcRefusal } from '../../rpc/rpc.ts'

/** A node that refuses because it is asked too often may not do so the next time. */
const TRIES = 4

export const askAgain = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    const said = await ask().catch(orRefusal)
    if (!(said instanceof RpcRefusal)) return said
    if (tries === TRIES) throw said
  }
}

/**
 * Asks for what only the state of a block tells, and beside it for what a newer state tells. Most nodes keep the states
 * of the last blocks alone, and say so as they say that they are asked too much: each in its own way. But a state that
 * is gone is refused whenever it is asked for, even by itself, and the newer one is not. What is less sure than that is
 * asked again, and then the refusal is thrown.
 */
export const toldOrGone = async <T>(ask: () => Promise<T>, askNewer: () => Promise<unknown>): Promise<T | 'gone'> => {
  for (let tries = 1; ; tries++) {
    const said = await askInTurn(ask, askNewer)
    if (!(said instanceof RpcRefusal)) return said
    if (tries === TRIES) throw said
  }
}

/** No limit of so many a second refuses two that follow each other and lets two others pass, for as long as we ask alike. */
const IN_TURN = ['it', 'newer', 'newer', 'it', 'it', 'newer'] as const

const askInTurn = async <T>(ask: () => Promise<T>, askNewer: () => Promise<unknown>) => {
  for (const each of IN_TURN) {
    if (each === 'it') {
      const said = await ask().catch(orRefusal)
      if (!(said instanceof RpcRefusal) || said.code === LIMIT_EXCEEDED) return said
    } else {
      const said = await askNewer().catch(orRefusal)
      if (said instanceof RpcRefusal) return said
    }
  }
  return 'gone'
}

/** The one code that says for sure that the state may be there. */
export const LIMIT_EXCEEDED = -32005

export const orRefusal = (error: unknown): RpcRefusal => {
  if (error instanceof RpcRefusal) return error
  throw error
}

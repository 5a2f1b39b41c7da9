import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../actors/services.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Sandbox } from './sandbox.ts'

/** Has blocks mined while a payment waits for them, and none otherwise: a chain nobody uses does not grow. */
export const mineWhileAwaited = (
  { sql, log }: Pick<Services, 'sql' | 'log'>,
  sandbox: Pick<Sandbox, 'busy'>,
  everyMs = 500,
): { stop(): Promise<void> } => {
  const stopping = new AbortController()
  let busy: Disposable | undefined

  const look = async () => {
    const awaited = await isAwaited(sql)
    if (awaited) busy ??= sandbox.busy()
    else {
      busy?.[Symbol.dispose]()
      busy = undefined
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      await look().catch(err => log.warn({ err }, 'sandbox mining check failed, retrying'))
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
    busy?.[Symbol.dispose]()
  }
  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/**
 * Money that is not final waits for blocks, a refund's too, so does an end of a window that must be read past, and
 * whoever has just been shown an address is about to pay. Windows of days are not mined through. What is to be taken
 * back must not become final before.
 */
const isAwaited = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ awaited: boolean }[]>`
    select not exists (
      select from simulations s where s.reorganizes and is_acted(s)
    ) and (exists (
      select from payments where chain_id = ${sandboxId} and state in ('pending', 'processing') and (
        state = 'processing'
        or expires_at < now() or updated_at > now() - interval '1 hour' or amount_received > 0)
    ) or exists (
      select from transfers where chain_id = ${sandboxId} and state = 'seen'
    ) or exists (
      select from refunds where chain_id = ${sandboxId} and state = 'processing'
    ) or exists (
      -- Final, and not yet as deep as their merchant asked for.
      select from deeper_payments where chain_id = ${sandboxId}
    )) as awaited`
  return row?.awaited === true
}

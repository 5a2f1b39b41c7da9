import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../actors/services.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Sandbox } from './sandbox.ts'

/** Mines blocks only while something waits for them, so that an unused chain does not grow. */
export const mineWhileNeeded = (
  { sql, log }: Pick<Services, 'sql' | 'log'>,
  sandbox: Pick<Sandbox, 'keepMining'>,
  everyMs = 500,
): { stop(): Promise<void> } => {
  const stopping = new AbortController()
  let mining: Disposable | undefined

  const check = async () => {
    const isNeeded = await areBlocksNeeded(sql)
    if (isNeeded) mining ??= sandbox.keepMining()
    else {
      mining?.[Symbol.dispose]()
      mining = undefined
    }
  }
  const run = async () => {
    for (let failed = false; !stopping.signal.aborted; ) {
      try {
        await check()
        failed = false
      } catch (err) {
        if (!failed) log.warn({ err }, 'sandbox mining check failed, retrying')
        failed = true
      }
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
    mining?.[Symbol.dispose]()
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
 * Blocks are needed for money and refunds that are not final, for windows that have ended, and for payments whose
 * address was shown recently. They are not needed for the whole of a long window. While a reorganization is simulated
 * nothing is mined, because its blocks must not become final.
 */
const areBlocksNeeded = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ needed: boolean }[]>`
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
      -- Final, but without the confirmations that their merchant requires.
      select from deeper_payments where chain_id = ${sandboxId}
    )) as needed`
  return row?.needed === true
}

import { setTimeout as sleep } from 'node:timers/promises'
import { auditPart } from '../audit/dropped.ts'
import { nameOf } from '../audit/record-run.ts'
import type { Dependencies } from '../dependencies.ts'
import type { RetainDays } from '../env.ts'
import { deleteExpiredTickets } from '../queries/exports.ts'
import {
  dropOfActors,
  findOldActors,
  findRetentionDay,
  type RetainedPart,
  reportRetention,
  retainedParts,
} from '../queries/retention.ts'
import { type Checks, runChecks } from '../workers/checks.ts'
import type { WorkerShare } from '../workers/share.ts'

const EVERY_MS = 600_000
/** The least time between two commits. It is as long as the last one took, so that half of the time is left to others. */
const REST_MS = 50
/** Transitions that a commit passes, and at most as many actors of which it drops something. */
export const TRANSITIONS_AT_ONCE = 1_000

export type RetentionOptions = {
  readonly retainDays: RetainDays
  readonly share: WorkerShare
  readonly everyMs?: number
  readonly transitionsAtOnce?: number
}

type Deps = Pick<Dependencies, 'sql' | 'log'>

/**
 * Drops what is older than it is kept, each night after a clean audit. Each commit drops a part that was audited just before,
 * so a process that is killed leaves the rest to the next check, in any process.
 */
export const dropOldRecords = (
  deps: Deps,
  { retainDays, share, everyMs = EVERY_MS, transitionsAtOnce = TRANSITIONS_AT_ONCE }: RetentionOptions,
): Checks => {
  let isWarned = false
  const daysOf = {
    attempt_bodies: retainDays.attemptBodies,
    deliveries: retainDays.deliveries,
    history: retainDays.history,
  } satisfies Record<RetainedPart, number | undefined>
  return runChecks({
    ...{ share, everyMs },
    check: async signal => {
      // Whatever the audit finds: they can contain an e-mail address, which must not stay.
      await deleteExpiredTickets(deps.sql)
      const { today, audit } = await findRetentionDay(deps.sql)
      if (audit === 'findings' && !isWarned)
        deps.log.warn(
          { action: 'look at the last audit' },
          'old records not dropped, the audit found broken invariants',
        )
      isWarned = audit === 'findings'
      const errors: unknown[] = []
      for (const part of retainedParts) {
        const days = daysOf[part]
        if (days === undefined) await reportRetention(deps.sql, part, 'off')
        else if (audit === 'findings') await reportRetention(deps.sql, part, 'audit')
        else if (audit === 'clean' && !signal.aborted) {
          const before = new Date(today.getTime() - days * 86_400_000)
          try {
            await dropPart(deps, part, { before, signal, transitionsAtOnce })
          } catch (error) {
            errors.push(error)
            // Without the database this fails too.
            await reportRetention(deps.sql, part, 'failed')
          }
        }
      }
      if (errors.length > 0) throw errors[0]
    },
    onFailure: err => deps.log.error({ err }, 'old records not dropped, retrying'),
  })
}

type Dropping = { readonly before: Date; readonly signal: AbortSignal; readonly transitionsAtOnce: number }

const dropPart = async (deps: Deps, part: RetainedPart, { before, signal, transitionsAtOnce }: Dropping) => {
  const { sql, log } = deps
  let dropped = 0
  while (!signal.aborted) {
    const began = performance.now()
    const found = await findOldActors(sql, part, { before, most: transitionsAtOnce })
    if (!found) {
      await reportRetention(sql, part, 'done')
      break
    }
    const broken = await auditPart(sql, part, found.actors)
    if (broken.length > 0) {
      const checks = broken.map(finding => ({ name: nameOf(finding), count: finding.count, sample: finding.example }))
      log.error(
        { part, broken: checks, action: 'keep the database as it is' },
        'old records not dropped, their audit failed',
      )
      await reportRetention(sql, part, 'broken')
      break
    }
    const done = await dropOfActors(sql, part, found, before)
    dropped += done?.dropped ?? 0
    // Another process drops them, or a transaction has locked the rest: the next check goes on.
    if (!done || (done.locked > 0 && done.dropped === 0)) break
    await sleep(Math.max(REST_MS, performance.now() - began), undefined, { signal }).catch(() => {})
  }
  if (dropped > 0) log.info({ part, dropped, before }, 'old records dropped')
}

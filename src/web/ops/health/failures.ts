import type {
  OpsAudit,
  OpsChain,
  OpsDatabase,
  OpsEndpoint,
  OpsQueue,
  OpsSigner,
  OpsWorker,
  StuckActor,
} from '../../api/ops-calls.ts'
import { databaseFailures } from './database-failures.ts'
import { endpointFailures } from './endpoint-failures.ts'
import { signerFailures } from './signer-failures.ts'
import type { Failure, Words } from './words.ts'

/** What the server shows of itself, in one reading. */
export type HealthReading = {
  readonly chains: readonly OpsChain[]
  readonly queues: readonly OpsQueue[]
  readonly workers: readonly OpsWorker[]
  readonly endpoints: readonly OpsEndpoint[]
  readonly signers: readonly OpsSigner[]
  readonly database: OpsDatabase | undefined
  readonly stuck: { readonly actors: readonly StuckActor[]; readonly hasMore: boolean }
  /** The latest first. */
  readonly audits: readonly OpsAudit[]
  readonly at: Date
}

const LATE_BLOCKS = 30
/** Fewer may have arrived since the last reading. */
const WAITING_BLOCKS = 3
const STILL_MS = 30_000
const LATE_JOB_MS = 60_000
const LOST_WORKER_MS = 60_000
const OLD_AUDIT_MS = 48 * 3_600_000

/** What does not work, the worst first, each with what to do about it. */
export const failuresIn = (reading: HealthReading, words: Words): readonly Failure[] => {
  const found = [
    ...workerFailures(reading, words),
    ...databaseFailures(reading.database, words),
    ...reading.chains.flatMap(chain => chainFailures(chain, words)),
    ...reading.signers.flatMap(signer => signerFailures(signer, words)),
    ...reading.queues.flatMap(queue => queueFailures(queue, words)),
    ...stuckFailures(reading, words),
    ...endpointFailures(reading.endpoints, words),
    ...auditFailures(reading, words),
  ]
  return [...found.filter(({ tone }) => tone === 'bad'), ...found.filter(({ tone }) => tone === 'warn')]
}

export const isRunning = ({ heartbeatAt }: OpsWorker, at: Date): boolean =>
  at.getTime() - new Date(heartbeatAt).getTime() < LOST_WORKER_MS

const workerFailures = ({ workers, at }: HealthReading, { texts: { health } }: Words): readonly Failure[] =>
  workers.some(worker => isRunning(worker, at))
    ? []
    : [{ tone: 'bad', title: health.noWorker, what: health.noWorkerWhat, path: '/ops/workers' }]

export const chainFailures = (chain: OpsChain, words: Words): readonly Failure[] => {
  const { name, nodes, stoppedAt } = chain
  const { health } = words.texts
  const failing = nodes.filter(({ state }) => state === 'paused')
  const path = '/ops/chains'
  if (nodes.length > 0 && failing.length === nodes.length)
    return [{ tone: 'bad', title: health.noNode(name), what: health.noNodeWhat(errorsOf(failing, health)), path }]
  if (stoppedAt !== null)
    return [
      {
        ...{ tone: 'bad', what: health.stoppedWhat, path },
        title: health.stopped(name, words.formats.listed(stoppedAt, words.now)),
      },
    ]
  return [
    ...lateFailures(chain, words).map(late => ({ tone: 'bad' as const, ...late, path })),
    ...failing.map(({ label, lastError }) => ({
      ...{ tone: 'warn' as const, title: health.nodeFails(name, label), path },
      what: health.nodeFailsWhat(nodeErrorText(lastError, health)),
    })),
  ]
}

/** Later blocks exist and are not read, or only late. */
const lateFailures = (
  { name, lagBlocks, readAt }: OpsChain,
  { texts: { health }, formats, now }: Words,
): readonly Pick<Failure, 'title' | 'what'>[] => {
  if (lagBlocks === null) return []
  const isStill = lagBlocks >= WAITING_BLOCKS && readAt !== null && now.getTime() - Date.parse(readAt) > STILL_MS
  if (isStill) return [{ title: health.still(name, formats.listed(readAt, now)), what: health.stillWhat }]
  if (lagBlocks <= LATE_BLOCKS) return []
  return [{ title: health.behind(name, formats.count(lagBlocks)), what: health.behindWhat }]
}

/** Each of them once. */
const errorsOf = (nodes: OpsChain['nodes'], health: Words['texts']['health']): string =>
  [...new Set(nodes.map(({ lastError }) => nodeErrorText(lastError, health)))].join(' ')

/** The last failure of a node as a sentence. */
export const nodeErrorText = (error: string | null, { nodeErrors }: Words['texts']['health']): string =>
  nodeErrors[error as keyof typeof nodeErrors] ?? nodeErrors.unknown

const queueFailures = (
  { task, failed, oldestAgeMs }: OpsQueue,
  { texts: { health }, formats }: Words,
): readonly Failure[] => {
  const path = '/ops/queues'
  const failures: Failure[] = []
  if (failed > 0)
    failures.push({
      ...{ tone: 'bad', what: health.queueFailsWhat, path },
      title: health.queueFails(task, formats.count(failed)),
    })
  if (oldestAgeMs > LATE_JOB_MS)
    failures.push({
      ...{ tone: 'warn', what: health.queueLateWhat, path },
      title: health.queueLate(task, formats.duration(oldestAgeMs)),
    })
  return failures
}

const stuckFailures = (
  { stuck: { actors, hasMore } }: HealthReading,
  { texts: { health }, formats }: Words,
): readonly Failure[] => {
  if (actors.length === 0) return []
  const title = health.stuck(formats.count(actors.length), hasMore)
  return [{ tone: 'warn', title, what: health.stuckWhat, path: '/ops/stuck' }]
}

const auditFailures = ({ audits, at }: HealthReading, { texts: { health } }: Words): readonly Failure[] => {
  const path = '/ops/audits'
  const last = audits.find(({ status }) => status !== 'running')
  if (last?.status === 'findings') return [{ tone: 'bad', title: health.auditFound, what: health.auditFoundWhat, path }]
  if (last?.status === 'failed')
    return [{ tone: 'warn', title: health.auditFailed, what: health.auditFailedWhat, path }]
  const isOld = last !== undefined && at.getTime() - new Date(last.startedAt).getTime() > OLD_AUDIT_MS
  return isOld ? [{ tone: 'warn', title: health.auditOld, what: health.auditOldWhat, path }] : []
}

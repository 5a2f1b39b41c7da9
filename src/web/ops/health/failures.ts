import type { OpsAudit, OpsChain, OpsQueue, OpsWorker } from '../../api/ops-calls.ts'
import type { useReader } from '../../parts/reader.ts'
import type { OpsTexts } from '../shell/texts.ts'

/** What the server shows of itself, in one reading. */
export type HealthReading = {
  readonly chains: readonly OpsChain[]
  readonly queues: readonly OpsQueue[]
  readonly workers: readonly OpsWorker[]
  /** The latest first. */
  readonly audits: readonly OpsAudit[]
  readonly at: Date
}

export type Failure = {
  readonly tone: 'bad' | 'warn'
  readonly title: string
  /** What to do. */
  readonly what: string
  /** Where more is shown. */
  readonly path: string
}

const LATE_BLOCKS = 30
const LATE_JOB_MS = 60_000
const LOST_WORKER_MS = 60_000
const OLD_AUDIT_MS = 48 * 3_600_000

/** What does not work, the worst first, each with what to do about it. */
export const failuresIn = (reading: HealthReading, texts: OpsTexts, formats: Formats): readonly Failure[] => {
  const found = [
    ...workerFailures(reading, texts),
    ...reading.chains.flatMap(chain => chainFailures(chain, texts, formats)),
    ...reading.queues.flatMap(queue => queueFailures(queue, texts, formats)),
    ...auditFailures(reading, texts),
  ]
  return [...found.filter(({ tone }) => tone === 'bad'), ...found.filter(({ tone }) => tone === 'warn')]
}

type Formats = ReturnType<typeof useReader>['formats']

export const isRunning = ({ heartbeatAt }: OpsWorker, at: Date): boolean =>
  at.getTime() - new Date(heartbeatAt).getTime() < LOST_WORKER_MS

const workerFailures = ({ workers, at }: HealthReading, { health }: OpsTexts): readonly Failure[] =>
  workers.some(worker => isRunning(worker, at))
    ? []
    : [{ tone: 'bad', title: health.noWorker, what: health.noWorkerWhat, path: '/ops/workers' }]

const chainFailures = (chain: OpsChain, { health }: OpsTexts, formats: Formats): readonly Failure[] => {
  const { name, nodes, lagBlocks } = chain
  const failing = nodes.filter(({ state }) => state === 'paused')
  const path = '/ops/chains'
  if (nodes.length > 0 && failing.length === nodes.length)
    return [{ tone: 'bad', title: health.noNode(name), what: health.noNodeWhat, path }]
  const behind = lagBlocks !== null && lagBlocks > LATE_BLOCKS
  return [
    ...(behind
      ? [{ tone: 'bad' as const, title: health.behind(name, formats.count(lagBlocks)), what: health.behindWhat, path }]
      : []),
    ...failing.map(({ label, lastError }) => ({
      ...{ tone: 'warn' as const, title: health.nodeFails(name, label), path },
      what: health.nodeFailsWhat(lastError ?? health.unknown),
    })),
  ]
}

const queueFailures = (
  { task, failed, oldestAgeMs }: OpsQueue,
  { health }: OpsTexts,
  formats: Formats,
): readonly Failure[] => {
  const path = '/ops/queues'
  return [
    ...(failed > 0
      ? [
          {
            tone: 'bad' as const,
            title: health.queueFails(task, formats.count(failed)),
            what: health.queueFailsWhat,
            path,
          },
        ]
      : []),
    ...(oldestAgeMs > LATE_JOB_MS
      ? [
          {
            ...{ tone: 'warn' as const, what: health.queueLateWhat, path },
            title: health.queueLate(task, formats.duration(oldestAgeMs)),
          },
        ]
      : []),
  ]
}

const auditFailures = ({ audits, at }: HealthReading, { health }: OpsTexts): readonly Failure[] => {
  const path = '/ops/audits'
  const last = audits.find(({ status }) => status !== 'running')
  if (last?.status === 'findings') return [{ tone: 'bad', title: health.auditFound, what: health.auditFoundWhat, path }]
  if (last?.status === 'failed')
    return [{ tone: 'warn', title: health.auditFailed, what: health.auditFailedWhat, path }]
  const isOld = last !== undefined && at.getTime() - new Date(last.startedAt).getTime() > OLD_AUDIT_MS
  return isOld ? [{ tone: 'warn', title: health.auditOld, what: health.auditOldWhat, path }] : []
}

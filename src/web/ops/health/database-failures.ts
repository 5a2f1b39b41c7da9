import type { OpsDatabase } from '../../api/ops-calls.ts'
import type { Failure, Words } from './words.ts'

const MANY_CONNECTIONS = 0.8
const LONG_MS = 60_000
const LITTLE_DISK = 0.1

/** Of the database: the disk, the connections, transactions that hold everything back. */
export const databaseFailures = (
  database: OpsDatabase | undefined,
  { texts: { health }, formats }: Words,
): readonly Failure[] => {
  if (!database) return []
  const { connections, maxConnections, heldMs, transactions, retention, disk } = database
  const path = '/ops#database'
  const failures: Failure[] = []
  if (disk && disk.freeBytes < disk.totalBytes * LITTLE_DISK)
    failures.push({
      ...{ tone: 'bad', what: health.diskFullWhat, path },
      title: health.diskFull(formats.share(1 - disk.freeBytes / disk.totalBytes)),
    })
  if (connections > maxConnections * MANY_CONNECTIONS)
    failures.push({
      ...{ tone: 'warn', what: health.manyConnectionsWhat, path },
      title: health.manyConnections(formats.count(connections), formats.count(maxConnections)),
    })
  const holder = transactions.find(({ writing }) => writing)
  if (heldMs > LONG_MS)
    failures.push({
      ...{ tone: 'warn', title: health.held(formats.duration(heldMs)), path },
      what: holder ? health.heldWhat(String(holder.pid)) : health.heldUnknownWhat,
    })
  for (const reason of ['audit', 'broken', 'failed'] as const) {
    const held = retention.filter(({ heldBack }) => heldBack === reason).map(({ part }) => health.retentionParts[part])
    if (held.length > 0)
      failures.push({
        ...{ tone: 'warn', title: health.retentionHeld(held.join(', ')), what: health.retentionHeldWhat[reason] },
        path: reason === 'audit' ? '/ops/audits' : path,
      })
  }
  return failures
}

import { thousands } from './promises.ts'
import { openServer } from './server.ts'
import { weigh } from './weight.ts'

/**
 * What a paid payment with one webhook weighs: the bytes of every table and index, and those that it writes to the log, per
 * payment. `bun test/bench/weigh.ts [payments]`. Full-page images are apart: how many there are depends on the checkpoints, of
 * which there is one before the measurement and none in it.
 */
await using server = await openServer({ used: false })
const { paid, sizes, log } = await weigh(server, Number(process.argv[2] ?? 2_000))

const relations = new Map(log.relations.map(each => [`${each.table} ${each.index}`, each]))
const names = new Set([...sizes, ...log.relations].map(({ table, index }) => `${table} ${index}`))
console.log(`bytes per payment on disk, and in the log (updates, of these HOT), of ${paid} payments`)
for (const name of [...names].sort()) {
  const [table = '', index = ''] = name.split(' ')
  const logged = relations.get(name)
  const stored = sizes.find(size => size.table === table && `${size.index}` === index)?.bytes ?? 0
  if (stored < 1 && (logged?.bytes ?? 0) < paid) continue
  const updates = logged && logged.updates > 0 ? ` (${each(logged.updates)}, ${each(logged.hotUpdates)})` : ''
  console.log(
    `${index === 'null' ? table : `  ${index}`}: ${thousands(stored)}, ${thousands((logged?.bytes ?? 0) / paid)}${updates}`,
  )
}
const isRow = ({ index }: { readonly index: string | null }) => index === null
const isEntry = ({ index }: { readonly index: string | null }) => index !== null
const sum = (some: readonly { readonly bytes: number }[]) => some.reduce((total, { bytes }) => total + bytes, 0)
console.log(
  `on disk: tables ${thousands(sum(sizes.filter(isRow)))}, indexes ${thousands(sum(sizes.filter(isEntry)))}, all ${thousands(sum(sizes))}`,
)
const images = log.relations.reduce((total, { imageBytes }) => total + imageBytes, 0)
console.log(
  `in the log: rows ${thousands(sum(log.relations.filter(isRow)) / paid)}, index entries ${thousands(sum(log.relations.filter(isEntry)) / paid)}, ` +
    `commits and other records ${thousands(log.otherBytes / paid)}, all ${thousands(log.bytes / paid)}; full-page images ${thousands(images / paid)} more`,
)

function each(count: number): string {
  return (count / paid).toFixed(1)
}

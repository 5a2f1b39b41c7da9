import { expect, test } from 'bun:test'
import { QueryObserver } from '@tanstack/query-core'
import { openCache, readAgain } from '../../../src/web/api/query.ts'
import { until } from '../../harness/until.ts'

/** A record that a page shows. Each reading ends when the test says so. */
const openRecord = () => {
  const cache = openCache()
  const readings: { readonly end: (value: string) => void; readonly signal: AbortSignal }[] = []
  const observer = new QueryObserver(cache, {
    queryKey: ['shop', 'links', 'one'],
    queryFn: ({ signal }) => new Promise<string>(end => readings.push({ end, signal })),
  })
  const stop = observer.subscribe(() => {})
  return { cache, readings, stop, shown: () => observer.getCurrentResult().data }
}

test('records that are read again are there when that has ended, also if the event stream reports a change meanwhile', async () => {
  const { cache, readings, stop, shown } = openRecord()
  readings[0]?.end('active')
  await until(() => shown() === 'active')
  // A later time than that of the first reading.
  await Bun.sleep(2)
  let isDone = false
  const reading = readAgain(cache, ['shop', 'links']).then(() => {
    isDone = true
  })
  await until(() => readings.length === 2)
  void cache.invalidateQueries({ queryKey: ['shop'] })
  await until(() => readings.length === 3)
  expect(readings[1]?.signal.aborted).toBe(true)
  await Bun.sleep(20)
  expect(isDone).toBe(false)
  readings[2]?.end('deactivated')
  await reading
  expect(shown()).toBe('deactivated')
  stop()
})

test('what no page shows is not read again', async () => {
  const { cache, readings, stop, shown } = openRecord()
  readings[0]?.end('active')
  await until(() => shown() === 'active')
  stop()
  await readAgain(cache, ['shop', 'links'])
  expect(readings).toHaveLength(1)
})

import { openCalls } from '../../src/demo/call.ts'
import { encodeId } from '../../src/ids.ts'
import { questions } from './analytics.ts'
import type { BenchOutput } from './bench.ts'
import { milliseconds, percentile, thousands } from './promises.ts'
import { OWNER } from './web-shop.ts'
import { LAST_BLOCK } from './year-load.ts'
import { startYearService } from './year-service.ts'

/** How often each question is asked. */
export type AnalyticsReads = { readonly reads: number }

/** The figures over the sums of ten times as many payments. */
export const promiseYearSums = async (
  { report }: BenchOutput,
  given: AnalyticsReads & { readonly url: string; readonly merchantId: string; readonly payments: number },
): Promise<void> => {
  await using service = await startYearService(given.url, { blocks: LAST_BLOCK })
  const signedIn = await openCalls(service.url)('POST', '/v1/auth/sign-in', { ...OWNER })
  const call = openCalls(service.url, signedIn.text('accessToken'))
  const dayAt = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const asked: { readonly what: string; readonly p95: number }[] = []
  for (const [what, query] of [
    ...Object.entries(questions),
    ['the summary of a year', `from=${dayAt(-364)}`] as const,
  ]) {
    const path = what.startsWith('the summary')
      ? `summary?${query}`
      : `series?${query.replace(/from=(-\d+)/, (_, days: string) => `from=${dayAt(Number(days) + 1)}`)}`
    const took: number[] = []
    for (let n = 0; n <= given.reads; n++) {
      const began = performance.now()
      await call('GET', `/v1/merchants/${encodeId('mer', given.merchantId)}/analytics/${path}`)
      // The first has the plans to make.
      if (n > 0) took.push(performance.now() - began)
    }
    asked.push({ what, p95: percentile(took, 0.95) })
  }
  const worst = asked.reduce((worst, one) => (one.p95 > worst.p95 ? one : worst))
  report.atMost(`figures of ${thousands(given.payments)} payments, ${asked.length} questions, p95`, worst.p95, 100, {
    ...{ as: milliseconds, from: worst.what },
  })
}

import { createPaymentLink } from '../../src/commands/payment-links.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { insertKey, insertMerchant } from '../access/keys.ts'
import { openInstance } from '../actors/lamps.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'
import type { ApiSizes } from './api.ts'
import { startApiServers } from './api-servers.ts'
import type { Bench } from './bench.ts'
import { callFor, type Load } from './callers.ts'
import { NUMBER, numberedPost, openHttp } from './http.ts'
import { bestOf, perSecond, times } from './promises.ts'
import { createMigrated } from './server.ts'

type Round = { readonly core: Load; readonly http: Load; readonly bare: Load }

/** Creating links over HTTP, compared with creating the same links by the same commands without HTTP. */
export const promiseLinks = async ({ server, print, report }: Bench, sizes: ApiSizes): Promise<void> => {
  await using db = await createMigrated(server)
  const sql = connect(db.url, { max: 2 })
  const merchantId = await insertMerchant(sql)
  const { secret } = await insertKey(sql, { merchantId })
  await using servers = await startApiServers(db.url, merchantId)
  await using ours = openHttp(servers.ours)
  await using bare = openHttp(servers.bare)
  const instance = await openInstance(db.url, { kinds })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => instance.close())
  stack.defer(() => sql.end({ timeout: 1 }))

  let made = 0
  const byCore = async () => {
    const opening = { ...defaults, ...wanted(String(made++)), merchantId }
    await createPaymentLink({ ...instance.world, actors: instance.actors }, opening, {
      cause: 'bench',
      responseRows: () => [],
    })
  }
  const body = JSON.stringify(wanted(NUMBER))
  const toOurs = numberedPost('/v1/payment-links', secret, body)
  const toBare = numberedPost('/payment-links', secret, body)

  const byOurs = () => ours(toOurs(made++), 201)
  // For information: the rate of a bare handler is what a separate server process leaves possible on this machine.
  const byBare = () => bare(toBare(made++), 201)

  // Until the code is compiled: in the first ten seconds that takes as much of two cores as half of the work.
  for (const by of [byCore, byOurs, byBare]) await callFor(256, 3 * sizes.linksMs, by)

  // Few callers wait for each other's commits, many for the one thread.
  for (const callers of [32, 256]) {
    const rounds: Round[] = []
    for (const by of [byCore, byOurs, byBare]) await callFor(callers, sizes.linksMs / 4, by)
    for (let n = 1; n <= sizes.rounds; n++) {
      const core = await callFor(callers, sizes.linksMs, byCore)
      const round = {
        core,
        http: await callFor(callers, sizes.linksMs, byOurs),
        bare: await callFor(callers, sizes.linksMs, byBare),
      }
      rounds.push(round)
      print(`links, round ${n} of ${sizes.rounds}, callers ${callers}: ${format(round)}`)
    }
    const best = bestOf(rounds, ratio, 'higher')
    const promise = `links made over HTTP against the core's own rate, callers ${callers}`
    report.atLeast(promise, ratio(best), 0.5, { as: times, from: format(best) })
  }
  const [row] = await sql<{ links: number }[]>`select count(*)::integer as links from payment_links`
  if (row?.links !== made) throw new Error(`${row?.links} links were created, not ${made}`)
}

const ratio = ({ core, http }: Round) => http.perSecond / core.perSecond

const format = ({ core, http, bare }: Round) =>
  `${loadText(http)} against ${loadText(core)}; by a bare handler ${loadText(bare)}, ${times(bare.perSecond / core.perSecond)}`

const loadText = ({ perSecond: rate, p99 }: Load) => `${perSecond(rate)} (p99 ${p99.toFixed(0)} ms)`

const wanted = (number: string) => ({
  amountMinor: 4_900,
  currency: 'EUR',
  title: 'A lamp',
  description: 'With a shade of paper',
  reference: `order ${number}`,
  metadata: { shelf: 'B' },
})

/** The defaults that the API adds. */
const defaults = { ...paymentLinkOpening, assets: null, maxPayments: null, expiresAt: null, livemode: false }

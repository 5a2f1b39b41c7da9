import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { claimRoutes } from '../../src/http/refund-claims.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { kinds } from '../../src/kinds/all.ts'
import { apiServer } from '../harness/api.ts'
import { secretOf, send } from '../http/claims.ts'
import { shop } from '../http/people.ts'
import { customerAddress, makeRefund } from '../http/refunds.ts'

/** Two refunds: the customer of one has given its destination. */
const instance = async () => {
  const server = await apiServer({ routes: [...refundRoutes, ...claimRoutes], env: { CHECKOUT_RATE_LIMIT: '0' } })
  const { merchantId, path, owner } = await shop(server.api)
  const make = async () => {
    const id = await makeRefund(server.api, { merchantId, livemode: false })
    const { json } = await server.call('GET', `${path}/refunds/${id}`, { bearer: owner.bearer })
    return secretOf((json as { claimUrl: string }).claimUrl)
  }
  await make()
  await send(server, await make(), { address: customerAddress, confirmed: 'yes' })
  return server
}

const named = `(select id from refunds where state = 'requires_signature')`

test('refunds with open claims and one with a given destination have no findings, and each violation is found', async () => {
  await using server = await instance()
  expect(await audit(server.sql, kinds)).toEqual([])
  const breaches: [string, string][] = [
    [
      'a refund whose destination differs from the proven address',
      `insert into refund_destination_proofs select id, '0x${'1'.repeat(40)}', '', '0x${'1'.repeat(130)}', now() from ${named} r`,
    ],
    ['a refund whose customer has set', `update transitions set cause = 'key_1' where event = 'destination_named'`],
    ['', `update transitions set cause = 'customer' where event = 'destination_named'`],
    [
      'a claim of a refund',
      `insert into refund_claims select gen_random_uuid(), sha256('other'), sealed_secret, expires_at from refund_claims limit 1`,
    ],
    ['a refund whose customer has set', `delete from refund_claims where id in ${named}`],
    ['a refund that waits', 'delete from refund_claims'],
    [
      'a refund whose destination was set twice',
      `update transitions set event = 'destination_named' where kind = 'refund' and actor in ${named}`,
    ],
  ]
  for (const [what, tampering] of breaches) {
    const isFound = async () => (await audit(server.sql, kinds)).some(finding => finding.what.startsWith(what))
    if (what !== '') expect([what, await isFound()]).toEqual([what, false])
    await server.sql.unsafe(tampering)
    if (what !== '') expect([what, await isFound()]).toEqual([what, true])
  }
})

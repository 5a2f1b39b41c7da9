import { expect, test } from 'bun:test'
import { auditLogEn } from '../../../src/web/text/dashboard/audit-log/en.ts'

const root = new URL('../../../', import.meta.url).pathname

/** Each action that a call of record_security_event() or an option `action:` names, in SQL and TypeScript. */
const namedActions = async (): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  for (const pattern of ['sql/*.sql', 'src/{queries,commands,http,access}/**/*.ts'])
    for await (const path of new Bun.Glob(pattern).scan(root)) {
      const text = await Bun.file(root + path).text()
      const calls = text.matchAll(/(?:record_security_event|use_code)\([^;`]*|action: '[a-z_]+\.[a-z_]+'/gs)
      for (const [call] of calls)
        for (const [, action] of call.matchAll(/'([a-z_]+\.[a-z_]+)'/g)) found.add(action ?? '')
    }
  return found
}

/** `'webhook_endpoint.' || new_state`: the end of these is decided in SQL. */
const composed = [
  'webhook_endpoint.enabled',
  'webhook_endpoint.disabled',
  'refund_signer.added',
  'refund_signer.changed',
]

test('every action of the audit log has its words, and none has words that does not exist', async () => {
  const named = await namedActions()
  expect(Object.keys(auditLogEn.actions).sort()).toEqual([...new Set([...named, ...composed])].sort())
})

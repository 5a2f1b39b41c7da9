import { describe, expect, test } from 'bun:test'
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn, which } from 'bun'
import { languages, snippets } from '../../../src/web/dashboard/webhooks/snippets.ts'
import { signedHeaders } from '../../../src/webhooks/signature.ts'
import { scratch } from '../../harness/scratch.ts'
import { until } from '../../harness/until.ts'
import { unusedPort } from '../../harness/unused-port.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const body = JSON.stringify({ id: '1', type: 'payment.succeeded', data: { object: { id: 'pay_1' } } })

const runs = {
  Express: { file: 'shop.ts', command: ['bun', 'shop.ts'] },
  Hono: { file: 'shop.ts', command: ['bun', 'shop.ts'] },
  Elysia: { file: 'shop.ts', command: ['bun', 'shop.ts'] },
  PHP: { file: 'hooks.php', command: ['php', '-S', '127.0.0.1:4040', 'hooks.php'] },
  Python: { file: 'shop.py', command: ['python3', 'shop.py'] },
} as const

/** 204 for a signed request; 400 for another body, another secret, an old signature, and none. */
describe.each(languages)('the code for %s', language => {
  const { file, command } = runs[language]
  test.skipIf(!which(command[0]))(
    'accepts what is signed, and nothing else',
    async () => {
      const folder = await mkdtemp(join(scratch(), 'snippet-'))
      const port = String(await unusedPort())
      await writeFile(join(folder, file), snippets[language].replaceAll('4040', port))
      await copyFile(join(root, 'src/verify-webhook/index.ts'), join(folder, 'verify-webhook.ts'))
      await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
      const shop = spawn(
        command.map(each => each.replace('4040', port)),
        { cwd: folder, env: { ...process.env, WEBHOOK_SECRET: secret }, stdout: 'ignore', stderr: 'ignore' },
      )
      try {
        const post = async (sent: string, headers: Readonly<Record<string, string>>) => {
          const request = { method: 'POST', body: sent, headers: { 'content-type': 'application/json', ...headers } }
          return (await fetch(`http://127.0.0.1:${port}/hooks`, request)).status
        }
        const signed = (secrets: readonly string[], secondsAgo = 0) =>
          signedHeaders({ secrets, id: '1', body, at: new Date(Date.now() - secondsAgo * 1_000) })
        await until(async () => (await post(body, {}).catch(() => undefined)) !== undefined, { what: 'a server' })
        expect([
          await post(body, signed([secret])),
          await post(body, signed(['whsec_new', secret])),
          await post(`${body} `, signed([secret])),
          await post(body, signed(['whsec_other'])),
          await post(body, signed([secret], 400)),
          await post(body, {}),
        ]).toEqual([204, 204, 400, 400, 400, 400])
      } finally {
        shop.kill()
        await shop.exited
        await rm(folder, { recursive: true, force: true })
      }
    },
    60_000,
  )
})

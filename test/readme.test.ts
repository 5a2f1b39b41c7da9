import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort } from '../src/postgres/server.ts'
import { dataFolder } from './harness/embedded-parent.ts'
import { startMain } from './harness/main.ts'
import { until } from './harness/until.ts'

const missing = ['bash', 'curl', 'jq'].filter(program => !Bun.which(program))
const skipped = missing.length > 0 ? ` (skipped: ${missing.join(' and ')} not installed)` : ''

test.skipIf(missing.length > 0)(
  `the commands of the README and of docs/integrating.md print what is shown${skipped}`,
  async () => {
    await using folder = dataFolder()
    await using main = await startMain({ DATA_DIR: folder.path, SANDBOX: 'on', WEBHOOK_ALLOW: '127.0.0.0/8' })
    await until(() => /^Test payments are made on the chain at http:\S+$/m.test(main.lines.join('\n')))
    const steps = readSteps({ 3000: new URL(main.url).port, 4040: String(await freePort()) }, folder.path)
    // If the documents had another form, nothing would be compared.
    const typed = steps.map(({ command }) => command).join('')
    for (const part of [
      '/readyz',
      '/payment-links',
      '/checkout/links',
      '/refunds',
      '/invoices',
      '/credit-notes',
      '/test-clocks',
      '/subscriptions',
      '/webhook-endpoints',
      '/mfa/confirm',
      '/audit-log',
    ])
      expect(typed).toContain(part)

    const printed = typeAll(steps, folder.path)
    const answered = steps.map(({ command, shown }, i) => ({
      command,
      shown: isAsShown(shown, printed[i]) ? shown : printed[i],
    }))
    expect(answered).toEqual(steps)
  },
)

/** In one shell, in this order: the second document continues where the first ends. */
const documents = ['../README.md', '../docs/integrating.md'].map(path => new URL(path, import.meta.url))

/** A command after a `$`, and the output that the document shows below it. */
type Step = { readonly command: string; readonly shown: string }

/** All steps except the starts, with this server's ports and folder. A line that ends in `\` continues in the next. */
const readSteps = (ports: Readonly<Record<string, string>>, dataDir: string): Step[] =>
  documents
    .flatMap(path => [...readFileSync(path, 'utf8').matchAll(/^```\w*\n(.*?)^```$/gms)])
    .flatMap(([, block = '']) =>
      block
        .replace(/\b(3000|4040)\b/g, port => ports[port] ?? port)
        .replaceAll('.data/', `${dataDir}/`)
        .split(/^\$ /m)
        .slice(1),
    )
    .map(step => {
      const [, command = '', shown = ''] = /^((?:[^\n]*\\\n)*[^\n]*\n)(.*)$/s.exec(step) ?? []
      return { command, shown: shown.trimEnd() }
    })
    .filter(({ command }) => !/^([A-Z_]+=\S+ )*(git|bun run) /.test(command))

const clone = fileURLToPath(new URL('..', import.meta.url))

/** The output of one shell in the clone's folder at each step, errors included. */
const typeAll = (steps: readonly Step[], home: string): readonly string[] => {
  const script = ['exec 2>&1\n', ...steps.map(({ command }) => `${command}printf '\\036'\n`)].join('')
  const { stdout } = spawnSync('bash', ['-c', script], {
    cwd: clone,
    // No proxies of the caller, and no .curlrc.
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    timeout: 90_000,
  })
  return stdout.split('\x1e').map(text => text.trimEnd())
}

/** A `…` matches anything. A response that is too wide for a line continues in the next, after a space. */
const isAsShown = (shown: string, printed = ''): boolean => {
  const parts = shapeOf(shown.replaceAll('\n ', '')).split('…')
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`^${parts.map(literal).join('.*')}$`, 's').test(shapeOf(printed))
}

/** Parts that differ at every run are compared by their form. */
const shapeOf = (text: string): string =>
  shapes.reduce((shaped, [name, form]) => shaped.replace(form, `<${name}>`), text)

const shapes: readonly (readonly [string, RegExp])[] = [
  ['request', /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g],
  ['time', /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g],
  ['recovery code', /\b[0-9a-z]{4}(-[0-9a-z]{4}){3}\b/g],
  ['base32', /\b[A-Z2-7]{12,32}\b/g],
  // What comes before is kept: the kind of object, the mode of a key.
  ['id', /(?<=\b(plink|mer|key)_)[0-9a-z]{26}\b/g],
  ['secret', /(?<=\bsk_test_)[0-9a-z]+/g],
  ['tag', /(?<="tag":")[0-9a-z]{6}(?=")/g],
  ['last4', /(?<="last4":")[0-9a-z]{4}(?=")/g],
]

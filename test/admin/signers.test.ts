import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { encodeId } from '../../src/ids.ts'
import { openKeyring } from '../../src/keyring.ts'
import { SIGNER_PURPOSE } from '../../src/sealed-columns.ts'
import { insertMerchant } from '../access/keys.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { BASE, signerDesk } from './signer-desk.ts'

const add = `signer add --merchant MER --chain ${BASE} --limits`

test('an operator adds a signer, lists it, changes its limits and removes it', async () => {
  await using desk = await signerDesk()
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  const small = address.toLowerCase()
  await desk.node.call('anvil_setNonce', address, '0x7')

  const added = await desk.run(`${add} USD:5000:50000,EUR:100:200`, `${key}\n`)
  expect([added.code, added.errors]).toEqual([0, ''])
  const [kept] = await desk.db.sql`select id, address, sealed_key, first_nonce::integer from refund_signers`
  expect(kept).toMatchObject({ address: small, first_nonce: 7 })
  expect(openKeyring(SECRET_KEY).open(SIGNER_PURPOSE, kept?.id, kept?.sealed_key)).toBe(key)
  const off = 'off: refundMode is manual'
  const listed = `${desk.merchant} chain ${BASE} ${small} EUR:100:200,USD:5000:50000, 0 under way, ${off}`
  expect((await desk.run('signer list')).output).toBe(listed)

  expect((await desk.run(`${add} USD:1:2`, key)).output).toContain('has new limits')
  expect((await desk.run('signer list')).output).toContain(`${small} USD:1:2, 0 under way`)
  expect((await desk.run(`signer remove --merchant MER --chain ${BASE}`)).output).toContain('its key is erased')
  expect(await desk.db.sql`select from refund_signers where sealed_key is not null`).toHaveLength(0)
  expect((await desk.run('signer list')).output).toBe('There are no refund signers')

  const log = await desk.db.sql<{ action: string; text: string }[]>`
    select action, e::text as text from security_events e order by seq`
  expect(log.map(({ action }) => action)).toEqual([
    'refund_signer.added',
    'refund_signer.changed',
    'refund_signer.removed',
  ])
  for (const { text } of log) expect(text).not.toContain(key.slice(2))
})

test('the signer commands print what the operating guide shows', async () => {
  await using desk = await signerDesk()
  const guide = readFileSync(fileURLToPath(new URL('../../docs/operating.md', import.meta.url)), 'utf8')
  const [block = ''] = guide.split('```').filter(part => part.includes('$ bun run admin signer'))
  const steps = block
    .trim()
    .split(/^\$ bun run admin /m)
    .slice(1)
  expect(steps.map(step => step.split(/\s/)[1])).toEqual(['add', 'list', 'remove'])
  for (const step of steps) {
    const [typed = '', ...shown] = step.trim().split('\n')
    const [text = '', file] = typed.replace('$merchant', 'MER').split(' < ')
    const { code, output } = await desk.run(text, file ? generatePrivateKey() : '')
    const told = shown
      .join('\n')
      .split('…')
      .map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    expect([typed, code, output]).toEqual([typed, 0, expect.stringMatching(new RegExp(`^${told.join('[^]*')}$`))])
  }
})

test('invalid input is refused, and no private key is repeated', async () => {
  await using desk = await signerDesk()
  const key = generatePrivateKey()
  const other = encodeId('mer', await insertMerchant(desk.db.sql))
  expect((await desk.run(`${add} USD:1:2`, key)).code).toBe(0)
  const wrong = [
    [`${add} USD:1:2`, generatePrivateKey(), 'already has a signer'],
    [`${add.replace('MER', other)} USD:1:2`, key, 'already signs for another merchant'],
    [`${add} USD:1:2`, 'not a key 1234', 'not a private key'],
    [`${add} USD:0:2`, key, '--limits'],
    [`${add} USD:1:2,USD:3:4`, key, '--limits'],
    [`${add.replace(BASE, '31337')} USD:1:2`, key, 'needs no signer'],
    [`${add.replace(BASE, '1')} USD:1:2`, key, 'RPC_URLS_1'],
    [`${add.replace(BASE, 'base')} USD:1:2`, key, '--chain'],
    [`${add.replace('MER', 'mer_none')} USD:1:2`, key, '--merchant'],
    [`signer remove --merchant ${other} --chain ${BASE}`, '', 'no signer on this chain'],
    ['signer', '', 'Unknown command: signer'],
  ] as const
  for (const [text, input, complaint] of wrong) {
    const { code, output, errors } = await desk.run(text, input)
    expect([text, code, errors]).toEqual([text, 1, expect.stringContaining(complaint)])
    if (input !== '') expect(output + errors).not.toContain(input.replace('0x', ''))
  }
})

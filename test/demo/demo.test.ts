import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

test('the demo takes a payment and refunds it on a server of its own, and shows no secret', async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../src/demo/main.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>(resolve => child.once('close', resolve))
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  const steps = [...output.matchAll(/^(\d+)\. (.*)$/gm)].map(([, number, step]) => `${number} ${step}`)
  expect(steps).toEqual([
    '1 Sign up',
    '2 Set the receiving address',
    '3 Create an API key',
    '4 Register a webhook endpoint',
    '5 Create a payment link',
    '6 A customer opens a payment',
    '7 The customer pays from the sandbox wallet',
    '8 The shop receives the signed webhook',
    '9 The payment is final',
    '10 The money is collected into the wallet of the shop',
    '11 Refund a part, which the sandbox signs',
    '12 The shop receives the signed webhook',
    '13 The refund is final',
  ])
  expect(output).toEndWith('\nEverything was as it should be.\n')
  expect(output).not.toMatch(/sk_test_|whsec_|eyJ/)
}, 180_000)

import { expect, test } from 'bun:test'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Hex } from 'viem'
import { toHex } from 'viem/utils'
import { payer, sandboxContracts } from '../../src/sandbox/contracts.ts'
import { deploy, mine } from '../../src/sandbox/deploy.ts'
import { callNode } from '../../src/sandbox/node-client.ts'
import { awaitMined, payFromWallet } from '../../src/sandbox/simulate/payer.ts'
import { anvil } from '../harness/anvil.ts'
import { localServer } from '../harness/local-server.ts'

const sandboxNode = async () => {
  const node = await anvil({ mining: 'none', args: ['--balance', '1000000'] })
  await deploy(node.url)
  return node
}
const etherTo = (digit: string) => ({ token: null, to: `0x${digit.repeat(40)}` as Hex, amount: 1_000n })

/** A node that returns this nonce for the next transaction, as for two that are sent at the same moment. */
const givingNonce = async (url: string, nonce: number) => {
  let left = 1
  const forward = async (request: IncomingMessage) => {
    const call = JSON.parse(await text(request)) as { method: string; params: object[] }
    if (call.method === 'eth_sendTransaction' && left-- > 0) call.params = [{ ...call.params[0], nonce: toHex(nonce) }]
    const body = JSON.stringify(call)
    return (await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).text()
  }
  return localServer((request, response) => {
    forward(request).then(
      body => response.setHeader('content-type', 'application/json').end(body),
      () => response.destroy(),
    )
  })
}

test('of two payments with the same nonce the second is sent again, and both are mined', async () => {
  await using node = await sandboxNode()
  const nonce = Number(await callNode(node.url, 'eth_getTransactionCount', payer, 'pending'))
  const first = await payFromWallet(node.url, etherTo('1'))
  // The node's own next nonce has risen meanwhile.
  await node.call('anvil_setNextBlockBaseFeePerGas', toHex(50n * 10n ** 9n))
  await using second = await givingNonce(node.url, nonce)
  const hashes = [first, await payFromWallet(second.url, etherTo('2'))]
  await mine(node.url)
  await awaitMined(node.url, hashes)
  expect(await node.call('eth_getBalance', etherTo('1').to, 'latest')).toBe('0x3e8')
})

test('every transaction hash returned to many simultaneous payments is mined', async () => {
  await using node = await sandboxNode()
  const token = sandboxContracts.token as Hex
  const paying = Array.from({ length: 200 }, (_, n) => {
    const to: Hex = `0x${(n + 4096).toString(16).padStart(40, '0')}`
    return payFromWallet(node.url, { token: n % 2 === 0 ? token : null, to, amount: 1_000n })
  })
  const all = Promise.all(paying)
  let isOver = false
  void all
    .catch(() => {})
    .finally(() => {
      isOver = true
    })
  while (!isOver) await mine(node.url)
  const hashes = await all
  await mine(node.url)
  await awaitMined(node.url, hashes)
  expect(new Set(hashes).size).toBe(200)
}, 60_000)
